/** One network with many addresses, as an owner of an IPv6 network has, and a person elsewhere. */
import { expect, test } from 'vitest'
import { createPasswordHasher } from '../../../../server/identity/auth/passwords.ts'
import { refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

const passwords = createPasswordHasher({ cost: 10, threads: 1, maxWaiting: 2 })
setupServer({ accounts: ['alice'], config: { proxyPort: 0 }, options: { passwords } })

/** Another /64 for each number, of one /48. */
const addressOf = (n: number) => `2001:db8:0:${n.toString(16)}::1`
const elsewhere = '198.51.100.7'

async function signIn(address: string, password: string) {
  const answer = await fetch(`${server.proxyUrl}/xrpc/com.core.server.createSession`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ identifier: 'alice.test', password }),
  })
  return { status: answer.status, body: await answer.json() }
}

test('its wrong passwords do not take the places of others while passwords are checked', async () => {
  const guesses = Array.from({ length: 8 }, (_, n) => signIn(addressOf(n), 'wrong-password'))
  expect(await Promise.any(guesses.map(refused))).toMatchObject(refusal(503, 'NotEnoughResources'))
  expect(await signIn(elsewhere, 'alice-password')).toMatchObject({ status: 200 })
  await Promise.all(guesses)
})

async function refused(guess: ReturnType<typeof signIn>) {
  const answer = await guess
  if (answer.status !== 503) throw new Error('checked')
  return answer
}
