/** App passwords for clients that are connected from Home. */
import { com } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'

/** An older one may be in a program that has not run yet. */
const recentMs = 60 * 60_000

/**
 * Makes an app password, and returns its secret. Its name is that of the client, with a number if it is taken: “Bluesky 2”. Those of
 * this kind that were made within an hour and never used are revoked: their secrets were shown once, and are lost.
 */
export async function makeAppPassword(did: string, client: string): Promise<string> {
  const { passwords } = await callAs(did, com.core.server.listAppPasswords, {})
  const isOfClient = new RegExp(`^${client}(?: \\d+)?$`)
  const orphans = passwords.filter(
    ({ name, lastUsedAt, createdAt }) =>
      isOfClient.test(name) && lastUsedAt === undefined && Date.now() - Date.parse(createdAt) < recentMs,
  )
  for (const { name } of orphans) await callAs(did, com.core.server.revokeAppPassword, { body: { name } })
  const taken = new Set(passwords.filter((one) => !orphans.includes(one)).map(({ name }) => name))
  const name = [...Array(passwords.length + 1).keys()]
    .map((index) => (index === 0 ? client : `${client} ${index + 1}`))
    .find((candidate) => !taken.has(candidate))
  const { password } = await callAs(did, com.core.server.createAppPassword, {
    body: { name: name ?? client },
  })
  return password
}
