/** A server stops soon, whatever its places do, and the next run copies what was left. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { backUpWhenDue } from '../../../../server/operation/jobs/daily-backup.ts'
import type { PlaceStatus } from '../../../../server/operation/replicas/replica-status.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { blobOf } from '../../../support/records/blobs.ts'
import { post } from '../../../support/replicas/copies.ts'
import { S3Server } from '../../../support/replicas/place-server.ts'
import { open } from '../../../support/server/raw-http.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

/** The close takes less than two seconds on an idle computer; a place may be silent for a minute, and longer after an upload. */
const limitMs = 10_000

let s3: S3Server
let root: string
let copiesCredentials: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-closing-'))
  s3 = await new S3Server().start()
  copiesCredentials = join(root, 'credentials.json')
  const places = { [s3.address]: s3.credentials }
  await writeFile(copiesCredentials, JSON.stringify({ places }), { mode: 0o600 })
})
afterAll(async () => {
  await s3.close()
  await rm(root, { recursive: true })
})
beforeEach(() => {
  s3.fault = () => undefined
  s3.objects.clear()
})
setupServer({
  config: () => ({ copies: [s3.address], copiesCredentials }),
  accounts: ['alice'],
  per: 'test',
})

const copies = () => server.running.services.operation.copies
const job = (name: string, work: () => Promise<void>) => server.running.services.background.run(name, work)

async function copied(): Promise<PlaceStatus | undefined> {
  await copies().flush(60_000)
  return copies().status()[0]
}

/** Lets requests that match get no response. Resolves with the first of them. */
function silence(pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    s3.fault = (call) => {
      if (!pattern.test(call)) return undefined
      resolve()
      return 'silent'
    }
  })
}

/** Closes the server, and starts it again beside a place that answers. Everything is copied then. */
async function restarts(): Promise<void> {
  const begun = performance.now()
  await server.running.close()
  expect(performance.now() - begun).toBeLessThan(limitMs)
  s3.fault = () => undefined
  await server.open()
  await vi.waitFor(
    async () => expect(await copied()).toMatchObject({ problem: undefined, behindSeconds: 0 }),
    20_000,
  )
}

test('while changes are sent that the place does not accept', async () => {
  await copied()
  const asked = silence(/PUT .*segments/)
  await post(server, 'one')
  void copies().flush(60_000)
  await asked
  await restarts()
})

test('while the first base is sent', async () => {
  const asked = silence(/PUT .*bases/)
  void copies().flush(60_000)
  await asked
  await restarts()
})

test('while a media file is sent', async () => {
  await copied()
  const asked = silence(/PUT .*media/)
  await blobOf(server, alice, Buffer.from('a file of alice'), 'text/plain')
  void copies().flush(60_000)
  await asked
  await restarts()
})

test('while a place is listed for the first time', async () => {
  const asked = silence(/GET .*list-type/)
  copies().wake()
  void copies().flush(60_000)
  await asked
  await restarts()
})

test('while a copy is proven', async () => {
  await copied()
  const asked = silence(/GET [^?]*bases/)
  job('proof', () => copies().proveDue())
  await asked
  await restarts()
})

test('while a clean-up lists the place', async () => {
  await copied()
  const asked = silence(/GET .*list-type.*media/)
  job('clean-up', () => copies().compact())
  await asked
  await restarts()
})

test('while a clean-up waits for a base that is sent', async () => {
  const asked = silence(/PUT .*bases/)
  void copies().flush(60_000)
  await asked
  job('clean-up', () => copies().compact())
  await restarts()
})

test('while a daily backup waits for that of another process', async () => {
  const { services } = server.running
  const folder = join(server.config.dataDir, 'backups')
  await mkdir(folder, { recursive: true })
  const lock = await nodeFiles.lock(folder)
  const config = { ...services.config, dailyBackups: true }
  const copyTo = vi.spyOn(services.store, 'copyTo')
  job('daily backup', () => backUpWhenDue({ ...services, config }))
  await vi.waitFor(() => expect(copyTo).toHaveResolved(), 60_000)
  await restarts()
  await lock.release()
})

test('while a client uploads a file and sends nothing more', async () => {
  const client = await open(server.running.port)
  const head = ['POST /xrpc/com.core.repo.uploadBlob HTTP/1.1', 'host: localhost', 'content-type: text/plain']
  const headers = [...head, `authorization: Bearer ${alice.accessJwt}`, 'content-length: 1000']
  client.send(`${headers.join('\r\n')}\r\n\r\nabc`)
  await server.get('com.core.server.getSession', {}, alice)
  const begun = performance.now()
  await server.running.close()
  expect(performance.now() - begun).toBeLessThan(4000)
  await server.open()
})
