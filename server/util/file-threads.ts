/** Imported first: Node.js reads the number of its threads for files when it needs one. Folders of copies may keep some of them. */
process.env.UV_THREADPOOL_SIZE ??= '16'
