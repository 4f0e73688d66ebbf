/** The course of a measurement: its end before time, a server that does not answer, an account that cannot be used, what it leaves. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newRecord } from '../../../server/operation/conformance/account.ts'
import { requirements } from '../../../server/operation/conformance/requirements.ts'
import { measure, type Result, type RunOptions } from '../../../server/operation/conformance/runner.ts'
import { runConformance } from '../../../server/testing/conformance/conformance.ts'
import { preflight } from '../../../server/testing/conformance/preflight.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'
import { FaultProxy } from '../../support/conformance/fault-proxy.ts'

let proxy: FaultProxy
let network: Network

beforeAll(async () => {
  proxy = await FaultProxy.start()
  network = await startNetwork({ config: { publicUrl: proxy.url } })
  proxy.target = network.url
  proxy.directory = network.plc.url
  // The first account owns the server.
  for (const handle of ['first', 'alice', 'bob']) await network.accounts.create({ handle })
})
afterEach(() => {
  proxy.fault = { name: 'none' }
})
afterAll(async () => {
  await network.stop()
  await proxy.close()
})

const command = join(import.meta.dirname, '../../../build/package/commands.ts')
const account = { identifier: 'alice.test', password: 'alice-password' }
const areas = (...names: string[]) => requirements.filter(({ id }) => names.includes(id.split('.')[0] ?? ''))
const measured = (options: Partial<RunOptions>, onResult?: (result: Result) => void) =>
  measure({ url: proxy.url, plcUrl: proxy.url, account, requirements, ...options }, onResult)

/** Calls a method as an account. */
async function as(handle: string, method: string, input?: object) {
  const { accessJwt } = (await network.accounts.get(handle)).session
  const response = await fetch(`${network.url}/xrpc/${method}`, {
    headers: { authorization: `Bearer ${accessJwt}`, 'content-type': 'application/json' },
    ...(input && { method: 'POST', body: JSON.stringify(input) }),
  })
  const text = await response.text()
  return text ? JSON.parse(text) : {}
}

async function expectAsBefore() {
  expect(await as('alice', 'com.atproto.repo.describeRepo?repo=alice.test')).toMatchObject({
    collections: [],
  })
  expect(await as('alice', 'com.atproto.server.listAppPasswords')).toEqual({ passwords: [] })
}

test('a measurement that is interrupted ends, and deletes what it wrote', async () => {
  const controller = new AbortController()
  const { results, ended, leftovers } = await measured(
    { requirements: areas('app-password', 'record', 'blob'), signal: controller.signal },
    ({ id }) => {
      if (id === 'record.get') controller.abort()
    },
  )
  expect(results.at(-1)?.id).toBe('record.get')
  expect({ ended, leftovers }).toEqual({ ended: 'interrupted', leftovers: [] })
  await expectAsBefore()
})

test.skipIf(process.platform === 'win32').each(['Ctrl-C', 'a closed pipe'])(
  'the command that %s ends deletes what it wrote',
  async (how) => {
    const given = `${account.identifier}:${account.password}`
    const child = spawn(process.execPath, [
      ...[command, 'conformance', '--url', proxy.url, '--plc', proxy.url, '--account', given],
    ])
    let errors = ''
    child.stderr.on('data', (data) => {
      errors += data
    })
    child.stdout.on('data', (data) => {
      if (!String(data).includes('record.create.cid')) return
      if (how === 'Ctrl-C') child.kill('SIGINT')
      else child.stdout.destroy()
    })
    const [code] = await once(child, 'exit')
    expect({ code, errors }).toEqual({
      code: 130,
      errors: how === 'Ctrl-C' ? expect.stringMatching(/^Interrupted: .*\n$/) : '',
    })
    await expectAsBefore()
  },
)

test.skipIf(process.platform === 'win32')(
  'Ctrl-C ends the command while it waits for the first answer',
  async () => {
    const child = spawn(process.execPath, [command, 'conformance', '--url', proxy.url])
    proxy.fault = {
      name: 'no answer',
      async onResponse() {
        child.kill('SIGINT')
        await new Promise(() => {})
      },
    }
    const errors = text(child.stderr)
    const [code] = await once(child, 'exit')
    expect({ code, errors: await errors }).toEqual({
      code: 130,
      errors: expect.stringMatching(/^Interrupted: .*\n$/),
    })
  },
)

test.skipIf(!existsSync('/dev/full'))('a report that cannot be written fails', async () => {
  const full = openSync('/dev/full', 'w')
  const args = [command, 'conformance', '--url', proxy.url, '--grep', 'xrpc.answer', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const errors = text(child.stderr as Readable)
  const [code] = await once(child, 'exit')
  expect({ code, errors: await errors }).toEqual({
    code: 2,
    errors: expect.stringContaining('The report cannot be written: ENOSPC'),
  })
})

test('of two checks of an account that begin together, one goes on', async () => {
  const begin = () => preflight({ url: proxy.url, account }, () => {})
  const begun = await Promise.allSettled([begin(), begin()])
  const released = begun.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(begun.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { message: expect.stringContaining('Another check of alice.test wrote 0 seconds ago') } },
  ])
  for (const release of released) await release()
  await expectAsBefore()
})

test('a request that waits is ended with it', async () => {
  const controller = new AbortController()
  proxy.fault = {
    name: 'no answer',
    async onResponse(_, { name }) {
      if (name !== 'repo.createRecord') return
      controller.abort()
      await new Promise(() => {})
    },
  }
  const { results, ended } = await measured({ requirements: areas('record'), signal: controller.signal })
  expect({ results, ended }).toEqual({ results: [], ended: 'interrupted' })
  proxy.fault = { name: 'none' }
  await measured({ requirements: areas('record').slice(0, 1) })
  await expectAsBefore()
})

test('a check that is ended while it signs in leaves no session', async () => {
  const opening = ['server.createSession', 'server.refreshSession', '/oauth/token']
  const ids = ['session.create.output', 'session.create.did', 'session.refresh', 'session.delete']
  const others = ['app-password.revoke', 'oauth.code.once', 'oauth.token.use', 'oauth.refresh']
  const chosen = requirements.filter(({ id }) => [...ids, ...others].includes(id))
  // `as` opens a session.
  const { accessJwt } = (await network.accounts.get('alice')).session
  const sessions = async () => {
    const headers = { authorization: `Bearer ${accessJwt}` }
    const response = await fetch(`${network.url}/xrpc/com.core.server.listSessions`, { headers })
    return ((await response.json()) as { readonly sessions: readonly unknown[] }).sessions.length
  }
  let known = await sessions()
  const left: string[] = []
  let isOver = false
  for (let nth = 1; !isOver; nth++) {
    const controller = new AbortController()
    let at: string | undefined
    let count = 0
    proxy.fault = {
      name: 'ended',
      onResponse({ status }, { name, path }) {
        const opened = opening.find((each) => each === name || each === path)
        if (opened === undefined || status !== 200 || ++count !== nth) return
        at = `${opened} ${nth}`
        controller.abort()
      },
    }
    await measured({ requirements: chosen, signal: controller.signal })
    const open = await sessions()
    if (at !== undefined && open > known) left.push(at)
    known = open
    isOver = at === undefined
  }
  expect(left).toEqual([])
  await expectAsBefore()
})

test('a server that no longer answers fails, and the other requirements are not tried', async () => {
  const should = requirements.filter(({ level }) => level === 'should').slice(0, 3)
  const { results, hasFailed, ended } = await measured({
    ...{ url: 'http://localhost:1', account: undefined, requirements: should, restartMs: 0 },
  })
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'skipped', 'skipped'])
  expect(results[1]?.reason).toBe('the server no longer answers')
  expect({ hasFailed, ended }).toEqual({ hasFailed: true, ended: 'unanswered' })
})

test('app passwords that a killed measurement has left are revoked by the next one', async () => {
  await as('alice', 'com.atproto.server.createAppPassword', { name: 'conformance abcdefgh' })
  await as('alice', 'com.atproto.server.createAppPassword', { name: 'My phone' })
  await measured({ requirements: areas('app-password').slice(0, 1) })
  const { passwords } = await as('alice', 'com.atproto.server.listAppPasswords')
  expect(passwords.map(({ name }: { name: string }) => name)).toEqual(['My phone'])
  await as('alice', 'com.atproto.server.revokeAppPassword', { name: 'My phone' })
})

test('an app password that the server does not revoke is reported', async () => {
  proxy.fault = {
    name: 'app passwords are not revoked',
    onResponse(response, { name }) {
      if (name === 'server.revokeAppPassword') response.status = 500
    },
  }
  const { leftovers } = await measured({ requirements: areas('app-password').slice(0, 1) })
  expect(leftovers).toEqual([expect.stringContaining('revokeAppPassword answered 500')])
})

test('an app password whose sign-in is limited is revoked', async () => {
  let signIns = 0
  proxy.fault = {
    name: 'the rate of sign-ins is limited',
    onResponse(response, { name }) {
      if (name === 'server.createSession' && ++signIns > 2) response.status = 429
    },
  }
  const { results, leftovers } = await measured({
    requirements: requirements.filter(({ id }) => id === 'app-password.revoke'),
  })
  expect(results).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('limits the rate') }])
  expect(leftovers).toEqual([])
  await expectAsBefore()
})

test('posts that the holder writes meanwhile are no fault of the server', async () => {
  let posts = 0
  proxy.fault = {
    name: 'the holder posts',
    async onResponse(_, { name }) {
      if (name !== 'repo.putRecord' || posts++ > 0) return
      const record = { $type: 'com.example.note', text: 'hello', createdAt: new Date().toISOString() }
      await as('alice', 'com.atproto.repo.createRecord', {
        ...{ repo: 'alice.test', collection: 'com.example.note', rkey: 'post', record },
      })
    },
  }
  const ids = ['stream.write.ops', 'stream.write.chain']
  const { results } = await measured({ requirements: requirements.filter(({ id }) => ids.includes(id)) })
  expect(posts).toBeGreaterThan(0)
  expect(results.map(({ outcome, reason }) => reason ?? outcome)).toEqual(['passed', 'passed'])
  await as('alice', 'com.atproto.repo.deleteRecord', {
    ...{ repo: 'alice.test', collection: 'com.example.note', rkey: 'post' },
  })
})

describe('the command says what is wrong with an account, before it measures', () => {
  const run = async (given?: string, ...more: readonly string[]) => {
    const errors: string[] = []
    const write = process.stderr.write
    // The network has its own time, its HTTP that of the machine.
    process.stderr.write = (text: string | Uint8Array) =>
      String(text).startsWith('The clock') || errors.push(String(text)) > 0
    try {
      const args = [
        '--url',
        proxy.url,
        '--plc',
        proxy.url,
        '--grep',
        'session.get',
        ...(given === undefined ? [] : ['--account', given]),
        ...more,
      ]
      return { code: await runConformance(args, () => {}), errors: errors.join('') }
    } finally {
      process.stderr.write = write
    }
  }

  test('one that can be used is measured', async () => {
    expect(await run('alice.test:alice-password')).toEqual({ code: 0, errors: '' })
  })

  test('one that is read from a variable is measured', async () => {
    process.env.CONFORMANCE_ACCOUNT = 'alice.test:alice-password'
    expect(await run().finally(() => delete process.env.CONFORMANCE_ACCOUNT)).toEqual({
      code: 0,
      errors: '',
    })
  })

  test('one that another check uses', async () => {
    const where = { repo: 'alice.test', collection: 'example.desktop-pds.conformance' }
    const { uri } = await as('alice', 'com.atproto.repo.createRecord', { ...where, record: newRecord() })
    expect(await run('alice.test:alice-password')).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^Another check of alice\.test wrote \d+ seconds ago\./),
    })
    await as('alice', 'com.atproto.repo.deleteRecord', { ...where, rkey: uri.split('/').at(-1) })
  })

  test('a wrong password of the administrator', async () => {
    expect(await run(undefined, '--admin', 'wrong')).toEqual({
      code: 2,
      errors: '--admin is not the password of the administrator: it is answered 401.\n',
    })
  })

  test('a wrong password', async () => {
    expect(await run('alice.test:wrong:password')).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^alice\.test cannot sign in: .+\.\n$/),
    })
  })

  test('an app password', async () => {
    const { password } = await as('alice', 'com.atproto.server.createAppPassword', { name: 'Phone' })
    expect(await run(`alice.test:${password}`)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('is an app password'),
    })
    await as('alice', 'com.atproto.server.revokeAppPassword', { name: 'Phone' })
  })

  test('a deactivated account', async () => {
    await as('bob', 'com.atproto.server.deactivateAccount', {})
    expect(await run('bob.test:bob-password')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('it is deactivated'),
    })
  })

  test('too many sign-ins', async () => {
    proxy.fault = {
      name: 'limited',
      onResponse(response, { name }) {
        if (name === 'server.createSession') response.status = 429
      },
    }
    expect(await run('alice.test:alice-password')).toMatchObject({
      code: 2,
      errors: expect.stringMatching(
        /^The server limits the sign-ins of alice\.test\. Try again (?:later|in \d+ seconds)\.\n$/,
      ),
    })
  })
})
