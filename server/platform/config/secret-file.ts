/** A small file with a secret, which only its owner may read. */
import { type Files, nodeFiles, replaceFile, sizeIfThere } from '../../store/files/files.ts'
import { ConfigError } from './config.ts'

export interface SecretFile {
  /** Undefined if there is none. @throws ConfigError if it cannot be read, or other users can read it */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  remove(): Promise<void>
}

/** A file that something else has filled must not take the memory. */
const maxBytes = 1024 * 1024

export function secretFile(path: string, files: Files = nodeFiles): SecretFile {
  return {
    async read() {
      const size = await sizeIfThere(files, path)
      if (size === undefined) return undefined
      if (!(await files.isPrivate(path)))
        throw new ConfigError(`Other users can read ${path}. Run: chmod 600 ${path}`)
      if (size > maxBytes) throw new ConfigError(`${path} is too large. Delete it, or restore it.`)
      const bytes = await files.read(path).catch((error: NodeJS.ErrnoException) => {
        throw new ConfigError(`${path} cannot be read (${error.code}). Check the disk and its permissions.`)
      })
      return Buffer.from(bytes).toString()
    },
    write: (text) => replaceFile(files, path, Buffer.from(text)),
    remove: () => files.remove(path),
  }
}
