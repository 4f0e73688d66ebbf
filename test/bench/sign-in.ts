/** Signing in: with an app password, and ten people at once with their own passwords. */
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { summary, timed } from './latency.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

const people = 10
const rounds = 10

export async function benchSignIn(): Promise<void> {
  await using server = await Measured.pds(await folder())
  using client = new Client(server.url)
  const accounts: BenchAccount[] = []
  for (let i = 0; i < people; i++) accounts.push(await createAccount(client, `person-${i}`))
  const [{ handle, accessJwt }] = accounts as [BenchAccount]
  const { password } = (await client.call('createAppPassword', { name: 'phone' }, accessJwt)).json

  const single = []
  for (let i = 0; i < 100; i++) {
    single.push(await timed(() => client.call('createSession', { identifier: handle, password })))
  }
  const together = []
  for (let round = 0; round < rounds; round++)
    together.push(await timed(() => signInTogether(server, accounts)))
  const { median: p50, p99 } = summary(single.slice(10))
  table('signing in', [
    { '': 'app password', 'median ms': p50, 'p99 ms': p99, 'reference ms': '' },
    { '': `${people} main passwords at once, the last`, 'median ms': median(together), 'reference ms': 354 },
  ])
}

async function signInTogether(server: Measured, accounts: readonly BenchAccount[]): Promise<void> {
  await Promise.all(
    accounts.map(async ({ handle, password }) => {
      using client = new Client(server.url)
      await client.call('createSession', { identifier: handle, password })
    }),
  )
}
