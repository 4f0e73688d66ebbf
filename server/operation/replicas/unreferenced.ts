/**
 * The media at a place that the server has no more, with the time since when. A moment that is kept may still need them, so they are
 * removed once all moments are younger than that.
 */
import { type Files, readJson, replaceJson } from '../../store/files/files.ts'

export interface Unreferenced {
  /** Records that the server has these media, under their hidden names. */
  seen(names: Iterable<string>): Promise<void>
  /**
   * Compares the media of the place with those of the server. Returns those that the server has lacked since `before`.
   * @param now time of the comparison
   */
  update(
    atPlace: Iterable<string>,
    here: Pick<ReadonlySet<string>, 'has'>,
    now: Date,
    before: Date,
  ): Promise<string[]>
}

/** Milliseconds since 1970, by hidden name. */
type Since = Readonly<Record<string, number>>

/** @param path file of the record */
export function createUnreferenced(files: Files, path: string): Unreferenced {
  let since: Since | undefined

  /** A record that is damaged begins anew: the media are kept for longer. */
  const load = async () => (since ??= (await readJson<Since>(files, path)) ?? {})

  async function save(changed: Since): Promise<void> {
    if (JSON.stringify(changed) === JSON.stringify(since)) return
    since = changed
    await replaceJson(files, path, changed)
  }

  return {
    async seen(names) {
      const known = await load()
      const here = new Set(names)
      if (![...here].some((name) => name in known)) return
      await save(Object.fromEntries(Object.entries(known).filter(([name]) => !here.has(name))))
    },

    async update(atPlace, here, now, before) {
      const known = await load()
      const missing = [...atPlace].filter((name) => !here.has(name))
      const next = Object.fromEntries(missing.map((name) => [name, known[name] ?? now.getTime()]))
      await save(next)
      return missing.filter((name) => (next[name] ?? 0) < before.getTime())
    },
  }
}
