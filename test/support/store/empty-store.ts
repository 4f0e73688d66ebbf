/** An empty store, made once per process: creating it takes most of the first start of a server. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schema } from '../../../server/schema/schema.ts'
import { Database } from '../../../server/store/database.ts'

let files: Promise<ReadonlyMap<string, Buffer>> | undefined

/** Writes the files of an empty store into a directory. */
export async function writeEmptyStore(directory: string): Promise<void> {
  files ??= makeFiles()
  for (const [name, content] of await files) await writeFile(join(directory, name), content, { mode: 0o600 })
}

async function makeFiles(): Promise<ReadonlyMap<string, Buffer>> {
  const directory = await mkdtemp(join(tmpdir(), 'pds-empty-'))
  try {
    const store = await Database.open({ directory, schema, now: () => new Date() })
    await store.close()
    const made = new Map<string, Buffer>()
    for (const { name } of (await readdir(directory, { withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    ))
      made.set(name, await readFile(join(directory, name)))
    return made
  } finally {
    await rm(directory, { recursive: true })
  }
}
