/** A small file with a secret, which only its owner may read. */
import { type Files, nodeFiles, readIfThere, replaceFile } from '../../store/files/files.ts'
import { ConfigError } from './config.ts'

export interface SecretFile {
  /** Undefined if there is none. @throws ConfigError if other users can read it */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  remove(): Promise<void>
}

export function secretFile(path: string, files: Files = nodeFiles): SecretFile {
  return {
    async read() {
      const bytes = await readIfThere(files, path)
      if (bytes && !(await files.isPrivate(path)))
        throw new ConfigError(`Other users can read ${path}. Run: chmod 600 ${path}`)
      return bytes && Buffer.from(bytes).toString()
    },
    write: (text) => replaceFile(files, path, Buffer.from(text)),
    remove: () => files.remove(path),
  }
}
