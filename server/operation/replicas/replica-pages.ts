/** A replica as a source of pages that are damaged here. */
import { join } from 'node:path'
import type { PageSource } from '../../store/backups/salvage.ts'
import { type Files, nodeFiles } from '../../store/files/files.ts'
import { BackupForeign, StoreDamaged, StoreTooNew, StoreTooOld } from '../../store/files/store-errors.ts'
import { putPages } from '../../store/pages/checkpoint.ts'
import { closeFile, type OpenedFile, openChecked } from '../../store/pages/database-file.ts'
import { applySegments, assemble, databasePath, openBase } from './assemble.ts'
import { readContent } from './catalog.ts'
import { localTarget } from './local/target.ts'
import { ifUndamaged, isDamaged } from './places/place.ts'
import { fetchChain } from './receive.ts'
import type { Target } from './send.ts'
import { type Chain, waysTo } from './ways/ways.ts'

/** The backups of a data directory. */
export function backupPages(dataDir: string, files: Files = nodeFiles): PageSource {
  return replicaPages(localTarget(dataDir, files), files)
}

/** The newest base comes first, with the segments that continue it: a page is found as each of its journals left it. */
export function replicaPages(target: Target, files: Files = nodeFiles): PageSource {
  return {
    async *pages(numbers, scratch) {
      for (const chain of await bestWays(target)) {
        const folder = join(scratch, chain.base.name.replaceAll('/', '-'))
        try {
          const isFetched = await fetchBest(target, chain, files, folder)
          if (isFetched) yield* unlessDamaged(pagesOf(files, folder, new Set(numbers)))
        } finally {
          await files.removeDir(folder)
        }
      }
    },
    async newest(scratch) {
      for (const chain of await bestWays(target)) {
        if (chain.base.isPartial) continue
        const opened = await openEnd(target, chain, files, scratch)
        if (opened) return { ...opened, name: chain.base.name }
      }
      return undefined
    },
  }
}

/** Returns the best way from each base. */
async function bestWays(target: Target): Promise<Chain[]> {
  const content = await readContent(target)
  const ways = new Map<string, Chain>()
  for (const way of waysTo(content)) {
    if (!ways.has(way.base.name)) ways.set(way.base.name, way)
    if (ways.size === content.bases.length) break
  }
  return [...ways.values()]
}

/** Fetches a base, with its segments if all of them are intact. Returns false for a damaged base. */
async function fetchBest(target: Target, chain: Chain, files: Files, folder: string): Promise<boolean> {
  for (const segments of [chain.segments, []]) {
    const fetch = () => fetchChain(target, { ...chain, segments }, { files, folder }).then(() => true)
    if (await ifUndamaged(fetch, isUnusable)) return true
  }
  return false
}

/** Yields pages of a base, then again as each journal after it leaves them. */
async function* pagesOf(files: Files, folder: string, numbers: ReadonlySet<number>) {
  const opened = await openBase(files, folder)
  try {
    for (const number of numbers)
      if (number <= opened.file.count) yield [number, opened.file.read(number)] as const
    for await (const _ of applySegments(files, folder, opened)) {
      const changed = opened.overlay.takeChanges()
      for (const [number, page] of changed) if (numbers.has(number)) yield [number, page] as const
      await putPages(files, databasePath(folder), changed)
    }
  } finally {
    await closeFile(opened)
  }
}

/** Opens the state at the end of a way; undefined if it is damaged. */
function openEnd(target: Target, chain: Chain, files: Files, scratch: string) {
  const folder = join(scratch, chain.base.name.replaceAll('/', '-'))
  return ifUndamaged(async (): Promise<OpenedFile> => {
    await fetchChain(target, chain, { files, folder })
    await assemble(files, folder, chain)
    return openChecked(files, databasePath(folder))
  }, isUnusable)
}

/** Ends where the data turn out to be damaged. */
async function* unlessDamaged<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    if (!isUnusable(error)) throw error
  }
}

function isUnusable(error: unknown): boolean {
  const kinds = [StoreDamaged, StoreTooNew, StoreTooOld, BackupForeign]
  return isDamaged(error) || kinds.some((kind) => error instanceof kind)
}
