/** The types of the exports, which stand alone: a user has none of the packages in the bundle. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Imports and exports of declarations, and types such as `import('./file.ts').Name`. */
const imported = /(?<=\bfrom |\bimport\(|^import )(['"])(.+?)\1/gm

/**
 * Copies declaration files of `from` and all that they import to `to`.
 * @param files without extension, relative to `from`
 * @throws if one imports a package that is not in `peers`
 */
export function copyTypes(
  from: string,
  to: string,
  files: readonly string[],
  peers: readonly string[],
): void {
  const found = new Set(files.map((file) => join(from, file)))
  for (const file of found) {
    const source = readFileSync(`${file}.d.ts`, 'utf8')
    const target = join(to, `${relative(from, file)}.d.ts`)
    const text = source.replaceAll(imported, (_match, quote: string, name: string) => {
      if (name.startsWith('.')) found.add(resolve(dirname(file), name.replace(/\.[jt]s$/, '')))
      else if (!peers.some((peer) => name === peer || name.startsWith(`${peer}/`)))
        throw new Error(`Types of the package use ${name}, which its users may not have: ${target}`)
      return `${quote}${name.replace(/^(\..*)\.ts$/, '$1.js')}${quote}`
    })
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}
