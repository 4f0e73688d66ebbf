import { nodeFiles } from '../../../server/store/files/files.ts'

/** Other files than those of Node: a server does the long work on backups in its own thread, without the start of a worker for each. */
export const inlineFiles = { ...nodeFiles }
