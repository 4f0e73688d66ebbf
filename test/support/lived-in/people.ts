/** The accounts of a server that has been in use for a year. */
import type { Account } from '../server/server.ts'
import { server } from '../server/setup.ts'
import { body } from '../server/social.ts'

export type Name = 'olga' | 'ann' | 'ben' | 'cat' | 'dan'

/** The owner; the one that has lived; two that follow it; one that it blocks, and that blocks it. Set by `joinServer`. */
export const people = {} as Record<Name, Account>

/** Creates them. `ann` is invited, and invites `dan`. */
export async function joinServer(): Promise<void> {
  people.olga = await server.account('olga')
  const { olga } = people
  const code = async (input: object) =>
    body(await server.post('com.core.server.createInviteCode', input, olga)).code
  people.ann = await server.account('ann', { inviteCode: await code({ useCount: 1 }) })
  for (const name of ['ben', 'cat'] as const) people[name] = await server.account(name)
  const inviteCode = await code({ useCount: 2, forAccount: people.ann.did })
  people.dan = await server.account('dan', { inviteCode })
  await server.post(
    'com.core.server.createInviteCode',
    { useCount: 1, forAccount: people.ben.did },
    people.ann,
  )
  const expiresAt = new Date(server.clock.now().getTime() + 30 * 24 * 60 * 60_000).toISOString()
  await code({ useCount: 1, forAccount: people.ann.did, note: 'Eve', expiresAt })
}

/** Refreshes the sessions of all, as their clients do. */
export async function refreshAll(): Promise<void> {
  for (const name of Object.keys(people) as Name[]) {
    const tokens = body(
      await server.post('com.core.server.refreshSession', undefined, people[name].refreshJwt),
    )
    people[name] = { ...people[name], ...tokens }
  }
}
