/** Archives of repositories: they are kept, and imported again while the account is deactivated. */
import type { Left } from '../model/history.ts'
import { filesIn } from '../model/media.ts'
import type { Person, Stored } from '../model/person.ts'
import { wordOf } from '../model/status.ts'
import { type Act, Violation } from './act.ts'
import { holders, personWith } from './choose.ts'
import { renew } from './sessions.ts'

/** Keeps the archive of a repository of which everything is known. */
export const exportRepository: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person?.history.isCertain) return undefined
    const { machine, did, name, records } = person
    const { status, bytes } = await world.call(machine, 'com.atproto.sync.getRepo', {
      query: { did },
      isAdmin: true,
    })
    const words = `${machine.name}: archive of ${name} → ${status}`
    if (status === 200) person.archive = { bytes, records: new Map(records) }
    else if (status !== 0 && status < 500) throw new Violation(words)
    return words
  },
}

export const importRepository: Act = {
  weight: 2,
  async run(world, random) {
    const person = personWith(world, random, (status) => wordOf(status) === 'deactivated')
    const { archive } = person ?? {}
    if (!person || !archive || !hasFiles(person)) return undefined
    const { machine, name, history, records, access: token } = person
    const words = `${machine.name}: import of the archive of ${name}`
    const left = differences(records, archive.records)
    if (random.chance(0.3)) machine.failSoon(random.below(30), random.pick(['kill', 'power cut', 'fails']))
    const { status, body } = await world.call(machine, 'com.atproto.repo.importRepo', {
      ...{ bytes: archive.bytes, type: 'application/vnd.ipld.car', token },
    })
    if (body?.error === 'ExpiredToken') return `${words} → ExpiredToken, ${await renew(world, person)}`
    if (status !== 200 && status !== 0 && status < 500)
      throw new Violation(`${words} → ${status} ${JSON.stringify(body)}`)
    // An import notifies no account of the records that the archive has.
    for (const path of archive.records.keys()) person.unannounced.add(path)
    if (status === 200) {
      history.made(left, undefined)
      records.clear()
      for (const [path, stored] of archive.records) records.set(path, stored)
    } else history.lost(left)
    history.isHeadKnown = false
    return `${words}, ${left.length} differences → ${status}`
  },
}

/** Whether the server surely has the files of an archive: records refer to them. */
function hasFiles({ archive, records, history }: Person): boolean {
  const referred = new Set(
    [...records]
      .filter(([path]) => history.possible(path).size === 1)
      .flatMap(([, { value }]) => [...filesIn(value)]),
  )
  const needed = [...(archive?.records.values() ?? [])].flatMap(({ value }) => [...filesIn(value)])
  return needed.every((cid) => referred.has(cid))
}

/** Returns what an import changes. */
function differences(now: ReadonlyMap<string, Stored>, next: ReadonlyMap<string, Stored>): Left[] {
  const paths = new Set([...now.keys(), ...next.keys()])
  return [...paths]
    .filter((path) => now.get(path)?.cid !== next.get(path)?.cid)
    .map((path) => ({ path, collection: path.split('/')[0] ?? '', stored: next.get(path) }))
}
