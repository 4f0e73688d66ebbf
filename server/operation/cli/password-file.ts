/** The passwords of accounts at the server that they move to, in a file that only its owner can read. */
import { open, readFile } from 'node:fs/promises'
import { randomGroups } from '../../util/random.ts'

export interface PasswordFile {
  /** Its path. */
  readonly path: string
  /** Returns the password of an account. A new one is on disk before it is returned. */
  passwordOf(account: { readonly did: string; readonly handle: string }): Promise<string>
}

/** Opens or creates the file. A line is `handle did password`. */
export async function openPasswordFile(path: string): Promise<PasswordFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const known = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, did, password] = line.split(' ')
    if (did !== undefined && password) known.set(did, password)
  }
  return {
    path,
    async passwordOf({ did, handle }) {
      const found = known.get(did)
      if (found !== undefined) return found
      const password = randomGroups(6, 4)
      await append(path, `${handle} ${did} ${password}\n`)
      known.set(did, password)
      return password
    },
  }
}

async function append(path: string, line: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(line)
    await file.sync()
  } finally {
    await file.close()
  }
}
