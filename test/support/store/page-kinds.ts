/** Finds the pages of an SQLite file by their kind: see "B-tree Pages" of https://sqlite.org/fileformat2.html. */
import { openBytes } from './database-bytes.ts'

export const pageKinds = [
  'first',
  'meta',
  'table interior',
  'table leaf',
  'index interior',
  'index leaf',
  'overflow',
  'free list',
  'free',
] as const
export type PageKind = (typeof pageKinds)[number]

const pageBytes = 4096
const treeKinds: Record<number, PageKind> = {
  2: 'index interior',
  5: 'table interior',
  10: 'index leaf',
  13: 'table leaf',
}

/** Returns the numbers of the pages. `meta` is the one of the table `store_meta`, `first` is page 1, `free list` names free pages. */
export async function pagesByKind(file: Buffer): Promise<Map<PageKind, number[]>> {
  const sqlite = await openBytes(file)
  const roots = sqlite.all<{ name: string; rootpage: number }>(
    'SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0',
  )
  sqlite.close()
  const kinds = new Map<number, PageKind>()
  for (const { name, rootpage } of roots)
    walk(file, rootpage, kinds, name === 'store_meta' ? 'meta' : undefined)
  kinds.set(1, 'first')
  walkFree(file, kinds)
  const byKind = new Map<PageKind, number[]>(pageKinds.map((kind) => [kind, []]))
  for (let number = 1; number <= file.length / pageBytes; number++) {
    // In a database without orphans, what is neither in a tree nor free is the rest of a row.
    byKind.get(kinds.get(number) ?? 'overflow')?.push(number)
  }
  return byKind
}

function walk(file: Buffer, number: number, kinds: Map<number, PageKind>, as?: PageKind): void {
  const start = (number - 1) * pageBytes
  const type = file[start] ?? 0
  const kind = treeKinds[type]
  if (!kind) throw new Error(`Page ${number} is of no kind: ${type}`)
  kinds.set(number, as ?? kind)
  if (!kind.endsWith('interior')) return
  for (let cell = 0; cell < file.readUInt16BE(start + 3); cell++) {
    walk(file, file.readUInt32BE(start + file.readUInt16BE(start + 12 + 2 * cell)), kinds)
  }
  walk(file, file.readUInt32BE(start + 8), kinds)
}

function walkFree(file: Buffer, kinds: Map<number, PageKind>): void {
  for (let trunk = file.readUInt32BE(32); trunk > 0; trunk = file.readUInt32BE((trunk - 1) * pageBytes)) {
    const start = (trunk - 1) * pageBytes
    kinds.set(trunk, 'free list')
    for (let leaf = 0; leaf < file.readUInt32BE(start + 4); leaf++) {
      kinds.set(file.readUInt32BE(start + 8 + 4 * leaf), 'free')
    }
  }
}
