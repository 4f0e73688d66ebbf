/** `node build/checksums.ts [folder]`: writes SHA256SUMS for the installers and the package in `release/`, in the format of `sha256sum -c`. */
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const folder = process.argv[2] ?? join(import.meta.dirname, '../release')
const lines: string[] = []
for (const name of readdirSync(folder).sort()) {
  if (!/\.(AppImage|deb|dmg|zip|exe|tgz)$/.test(name)) continue
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(folder, name)), hash)
  lines.push(`${hash.digest('hex')}  ${name}\n`)
}
if (lines.length === 0) throw new Error(`There are no installers in ${folder}`)
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
process.stdout.write(lines.join(''))
