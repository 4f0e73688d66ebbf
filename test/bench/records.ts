/** Writing records: each call is a signed commit of a repository, on disk before the response. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from './client.ts'
import { Disk } from './disk.ts'
import { folder } from './folders.ts'
import { latencyRow, measureLatencies, type Operation } from './latency.ts'
import type { Call } from './load.ts'
import { type BenchAccount, baselines, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { table } from './table.ts'
import { compareThroughput, throughputRow } from './throughput.ts'

const path = '/xrpc/com.core.repo.createRecord'

export async function benchRecords(): Promise<void> {
  const dataDir = await folder()
  await using pds = await Measured.pds(dataDir)
  await using bare = await Measured.bare(await folder())
  await using disk = await Disk.open(await folder())
  using client = new Client(pds.url)
  using bareClient = new Client(bare.url)
  const accounts: BenchAccount[] = []
  for (let i = 0; i < 10; i++) accounts.push(await createAccount(client, `account-${i}`))
  const calls = accounts.map(createPost)
  const [first] = calls as [Call]

  const latencies = await measureLatencies([
    ...baselines(disk, bareClient),
    { ...createRecordOperation(client, accounts[0] as BenchAccount), times: 4000 },
  ])
  const rows = Array.from(latencies, ([name, latency]) => ({
    ...latencyRow(name, latency, latencies),
    'reference ms': name === 'createRecord' ? 13 : '',
  }))
  table('writing a record, one call at a time', rows)

  const servers = { pds, bare, client }
  const one = await compareThroughput(servers, { path, calls: [first] })
  const ten = await compareThroughput(servers, { path, calls })
  table('createRecord at 10 connections', [
    { ...throughputRow('one repository', one), reference: '64–84/s' },
    { ...throughputRow('ten repositories', ten), reference: '64–84/s' },
  ])
  // The load takes a fixed time, so a fast machine writes more records.
  const databaseMegabytes = statSync(join(dataDir, 'pds.sqlite')).size / 1e6
  table('resident memory after the write load (aim: 200 MB)', [
    { '': 'server', MB: pds.residentMegabytes(), 'database MB': databaseMegabytes },
  ])
}

export function createRecordOperation(client: Client, account: BenchAccount): Operation {
  const { input, token } = createPost(account)
  return { name: 'createRecord', times: 400, run: () => client.post(path, input, token) }
}

export function createPost({ did, accessJwt }: BenchAccount): Call {
  const text = 'A post as people write them: a sentence or two, and rarely more than that.'
  const record = { text, createdAt: '2030-01-01T00:00:00.000Z' }
  return { token: accessJwt, input: { repo: did, collection: 'app.example.feed.post', record } }
}
