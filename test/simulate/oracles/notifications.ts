/** Each person has the notifications that follow from all records, each once. */
import { expectedNotifications } from '../../crash/expected-notifications.ts'
import { Violation } from '../acts/act.ts'
import { freshToken } from '../acts/sessions.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'

/** Collections whose records notify. */
const notifying = /\.(?:like|repost|post|follow)\//

export async function checkNotifications(world: World): Promise<void> {
  const stored = world.people.flatMap(({ did, records }) =>
    [...records]
      .filter(([path]) => notifying.test(path))
      .map(([path, { value }]) => ({ uri: `at://${did}/${path}`, value })),
  )
  const existing = new Set(['', ...stored.map(({ uri }) => uri)])
  // Who acts on a record that was just deleted notifies nobody.
  const mayLack = (line: string) => !existing.has(line.split(' ')[2] ?? '')
  for (const person of world.people) {
    const expected = expectedNotifications(person.did, stored, new Map())
    const found = await notificationsOf(world, person)
    const missing = expected.filter((line) => !found.includes(line) && !mayLack(line))
    const wrong = found.filter((line, index) => !expected.includes(line) || found.indexOf(line) !== index)
    const words = [...missing.map((line) => `lacks ${line}`), ...wrong.map((line) => `has ${line}`)]
    if (words.length > 0) throw new Violation(`notifications of ${person.name}: ${words.join('; ')}`)
  }
}

async function notificationsOf(world: World, person: Person): Promise<string[]> {
  const lines: string[] = []
  const token = await freshToken(world, person)
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const { status, body } = await world.call(person.machine, 'app.bsky.notification.listNotifications', {
      query,
      token,
    })
    if (status !== 200) throw new Violation(`notifications of ${person.name}: ${status} ${body?.error}`)
    for (const { reason, uri, reasonSubject = '' } of body.notifications)
      lines.push(`${reason} ${uri} ${reasonSubject}`)
    cursor = body.cursor
  }
  return lines.sort()
}
