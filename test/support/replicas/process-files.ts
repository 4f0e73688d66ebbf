/** The disk of a computer as one process sees it. */
import type { Files, OpenFile } from '../../../server/store/files/files.ts'

/** Returns files that nothing changes after the end of the process. @param takeFailure returns what precedes a sync that fails, if one is due */
export function filesOf(
  process: { readonly isAlive: boolean },
  files: Files,
  takeFailure: () => (() => Promise<void>) | undefined,
): Files {
  const guarded = Object.entries(files).map(([name, work]) => [
    name,
    (...args: unknown[]) => {
      if (!process.isAlive) throw new Error('The process has ended.')
      return (work as (...args: unknown[]) => unknown)(...args)
    },
  ])
  const guard: Files = Object.fromEntries(guarded)
  const watched = async (path: string, opening: Promise<OpenFile>) =>
    path.endsWith('.journal') ? failing(await opening, takeFailure) : opening
  return {
    ...guard,
    create: (path, options) => watched(path, guard.create(path, options)),
    edit: (path, options) => watched(path, guard.edit(path, options)),
  }
}

function failing(file: OpenFile, takeFailure: () => (() => Promise<void>) | undefined): OpenFile {
  return {
    ...file,
    sync: async () => {
      const before = takeFailure()
      if (!before) return file.sync()
      await before()
      throw Object.assign(new Error('EIO: the sync fails'), { code: 'EIO' })
    },
  }
}
