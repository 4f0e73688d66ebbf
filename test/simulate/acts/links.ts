/** The service of links reports activity: true, doubled, out of order, or made up. */
import type { Random } from '../../support/replicas/random.ts'
import type { ReportedLink } from '../world/link-service.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'
import { keyOf } from './records.ts'

/** A revision before all commits. */
const oldRev = '3l2222222222a'

/** Returns the links of all records to accounts whose links are wanted. */
function linksOf({ people, services }: World): ReportedLink[] {
  const { wanted } = services.links
  return people.flatMap(({ did, records }) =>
    [...records].flatMap(([path, { value }]) =>
      subjectsOf(path, value)
        .filter(({ subject }) => wanted.has(/did:[^/]+/.exec(subject)?.[0] ?? '') && !subject.includes(did))
        .map((link) => ({ ...link, uri: `at://${did}/${path}`, rev: oldRev })),
    ),
  )
}

function subjectsOf(path: string, value: object): { source: string; subject: string }[] {
  const collection = path.slice(0, path.indexOf('/'))
  // biome-ignore lint/suspicious/noExplicitAny: records of several shapes
  const { subject, reply, embed, facets } = value as any
  const found = [
    ['subject.uri', subject?.uri],
    ['subject', typeof subject === 'string' ? subject : undefined],
    ['reply.parent.uri', reply?.parent.uri],
    ['embed.record.uri', embed?.record?.uri],
    [
      'facets[app.bsky.richtext.facet].features[app.bsky.richtext.facet#mention].did',
      facets?.[0].features[0].did,
    ],
  ]
  return found.flatMap(([name, subject]) => (subject ? [{ source: `${collection}:${name}`, subject }] : []))
}

type Lie = (link: ReportedLink, world: World, random: Random) => ReportedLink

const lies: Readonly<Record<string, Lie>> = {
  'an account that does not exist': (link) => ({
    ...link,
    uri: link.uri.replace(/did:[^/]+/, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'),
  }),
  'a server that does not exist': (link) => ({
    ...link,
    uri: link.uri.replace(/did:[^/]+/, 'did:web:nowhere.localhost'),
  }),
  'a record that does not exist': (link, world) => ({
    ...link,
    uri: link.uri.replace(/[^/]+$/, keyOf(world)),
  }),
  'a record about someone else': (link, { services }, random) => ({
    ...link,
    subject: random.pick([...services.links.wanted]),
  }),
  'a later revision': (link, world) => ({ ...link, rev: keyOf(world) }),
  'another source': (link) => ({ ...link, source: 'app.bsky.graph.follow:subject' }),
}

export const reportLinks: Act = {
  weight: 2,
  async run(world, random) {
    const { links } = world.services
    if (links.wanted.size === 0) return undefined
    const all = linksOf(world)
    if (all.length === 0) return undefined
    const words: string[] = []
    for (let left = 1 + random.below(5); left > 0; left--) {
      const link = random.pick(all)
      const lie = random.chance(0.4) ? random.pick(Object.keys(lies)) : undefined
      const sent = lie === undefined ? link : (lies[lie]?.(link, world, random) ?? link)
      links.report(sent)
      if (random.chance(0.3)) links.report(sent)
      words.push(`${sent.uri} to ${sent.subject}${lie === undefined ? '' : `, ${lie}`}`)
    }
    await world.time.settle()
    return `links: ${words.join('; ')}`
  },
}

const nonsense = ['', '{}', '[', 'null', '{"kind":"link","link":{"source":1}}', 'x'.repeat(70_000)]

export const failLinks: Act = {
  weight: 1,
  async run(world, random) {
    const { links } = world.services
    const machines = world.machines.filter(({ services }) => services.has('links'))
    if (machines.length === 0) return undefined
    const { name } = random.pick(machines)
    const kind = random.pick(['disconnects', 'is killed', 'starts', 'slow', 'interrupted', 'nonsense'])
    if (kind === 'disconnects') links.disconnect()
    if (kind === 'is killed') links.host.kill()
    if (kind === 'starts') links.host.start()
    if (kind === 'slow') world.wire.slow('links', name, 1 + random.below(5000))
    if (kind === 'interrupted') world.wire.interrupt('links', name)
    if (kind === 'nonsense') links.send(random.pick(nonsense))
    await world.time.settle()
    return `the service of links: ${kind}`
  },
}
