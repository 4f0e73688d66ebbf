import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listOutbox } from '../../server/platform/mail/outbox.ts'
import { databaseName } from '../../server/store/files/layout.ts'
import { pageBytes } from '../../server/store/pages/page.ts'
import { createPlcIdentity, PlcDirectory } from '../support/accounts/plc.ts'
import { server, setupServer } from '../support/server/setup.ts'
import { type SmtpServer, startSmtpServer } from '../support/services/smtp-server.ts'

/** The longest that closing may take: half of the time limit of a request to another server, a fifth of that of mail. */
const limitMs = 4_000

let directory: PlcDirectory
let smtp: SmtpServer

beforeEach(async () => {
  directory = await PlcDirectory.start()
  smtp = await startSmtpServer({ replies: { greeting: null } })
})
afterEach(() => Promise.all([directory.close(), smtp.close()]))
setupServer({ config: () => ({ plcUrl: directory.url, smtpUrl: smtp.url }), per: 'test' })

async function timeToClose(): Promise<number> {
  const start = performance.now()
  await server.running.close()
  return performance.now() - start
}

describe('closing', () => {
  test('does not wait for a mail server that hangs; its messages go to the outbox', async () => {
    const alice = await server.account('alice')
    await server.running.services.background.idle()
    const connected = smtp.connected()
    const asked = server.post('com.core.server.requestEmailConfirmation', undefined, alice)
    await server.post('com.core.server.requestPasswordReset', { email: alice.email })
    await connected
    expect(await timeToClose()).toBeLessThan(limitMs)
    expect((await asked).status).toBe(200)
    const messages = await listOutbox(server.config.dataDir)
    expect(messages.map(({ purpose }) => purpose).toSorted()).toEqual(['confirmEmail', 'resetPassword'])
    expect(messages[0]?.failure).toContain('server was stopped')
  })

  test('does not wait for a directory that hangs', async () => {
    directory.mode = 'hangs'
    const { did } = await createPlcIdentity('dora.old.example')
    const alice = await server.account('alice')
    await directory.requested(/^POST/)
    const input = { did, handle: 'dora.test', password: 'a good password' }
    const proof = ['{"alg":"ES256K","typ":"JWT"}', claimsOf(did), 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    const imported = server.post('com.core.server.createAccount', input, proof)
    await directory.requested(new RegExp(`^GET /${did}$`))
    expect(await timeToClose()).toBeLessThan(limitMs)
    expect((await imported).status).toBe(401)

    directory.mode = 'up'
    await server.open()
    await server.running.services.background.idle()
    expect(directory.log(alice.did)).toHaveLength(1)
  })

  test('does not wait for a consumer of a stream that does not answer', async () => {
    const socket = connect(server.running.port, '127.0.0.1')
    const head = [
      'GET /xrpc/com.core.sync.subscribeRepos HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    expect(`${answer}`).toMatch(/^HTTP\/1.1 101 /)
    expect(await timeToClose()).toBeLessThan(limitMs)
    socket.destroy()
  })

  test('does not wait for a directory that hangs when a start has failed', async () => {
    directory.mode = 'hangs'
    await server.account('alice')
    await server.running.services.store.checkpoint()
    await server.running.close()
    await damageTable('upstreams')
    const start = performance.now()
    await expect(server.open()).rejects.toMatchObject({ name: 'StoreDamaged' })
    expect(performance.now() - start).toBeLessThan(limitMs)
  })
})

/** Damages the first page of a table of the stopped server. */
async function damageTable(table: string): Promise<void> {
  const path = join(server.config.dataDir, databaseName)
  const db = new DatabaseSync(path, { readOnly: true })
  const root = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.rootpage
  db.close()
  const file = await open(path, 'r+')
  await file.write('damaged', (Number(root) - 1) * pageBytes + 1000)
  await file.close()
}

function claimsOf(iss: string): string {
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const lxm = 'com.core.server.createAccount'
  return JSON.stringify({ iss, aud: 'did:web:pds.test', lxm, iat, exp: iat + 60 })
}
