import type { LookupAddress } from 'node:dns'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardedFetch } from '../../../../server/platform/network/client.ts'
import { OutboundRefused } from '../../../../server/platform/network/guard.ts'
import {
  createFindForOthers,
  createFindForOwner,
  restrictToLoopback,
} from '../../../../server/platform/network/names.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { loopbackServer } from '../../identity/did/support.ts'

let names: NameServer
beforeAll(async () => {
  names = await NameServer.start()
})
beforeEach(() => {
  names.silent = undefined
})
afterAll(() => names.close())

const others = (more: Parameters<typeof createFindForOthers>[0] = {}) =>
  createFindForOthers({ nameServers: [names.address], ...more })
const never = () => new Promise<LookupAddress[]>(() => {})
const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 })

describe('names that others choose', () => {
  test('lead to their IPv4 and IPv6 addresses, also through an alias', async () => {
    const both = ['192.0.2.1', '192.0.2.2', '2001:db8::1']
    names.addresses.set('both.example', both)
    names.aliases.set('alias.example', 'both.example')
    names.addresses.set('six.example', ['2001:db8::6'])
    expect(await others()('both.example')).toEqual(both.map(address))
    expect(await others()('alias.example')).toEqual(both.map(address))
    expect(await others()('six.example')).toEqual([address('2001:db8::6')])
    await expect(others()('missing.example')).rejects.toThrow('ENOTFOUND')
  })

  test('a name server that ignores questions for one family delays nothing for seconds', async () => {
    names.addresses.set('half.example', ['192.0.2.1', '2001:db8::1'])
    names.silent = /^AAAA half/
    expect(await others()('half.example')).toEqual([address('192.0.2.1')])
  })

  test('a look-up ends with its request', async () => {
    names.silent = /slow\.example/
    const request = new AbortController()
    const found = others()('slow.example', request.signal)
    await names.queried(/^slow\.example$/)
    request.abort()
    await expect(found).rejects.toThrow('ECANCELLED')
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::127.0.0.1',
    'fd00::1',
  ])(
    'a name that leads to %s is refused, also beside a public address, and nothing connects',
    async (target) => {
      const server = await loopbackServer((_, response) => response.end('secret'))
      const findAddresses = others()
      names.addresses.set('inside.example', [target])
      names.addresses.set('mixed.example', ['192.0.2.1', '2600::1', target])
      names.aliases.set('alias.example', 'inside.example')
      for (const host of ['inside.example', 'mixed.example', 'alias.example']) {
        const request = guardedFetch(`https://${host}:${server.port}/`, { findAddresses })
        await expect(request, host).rejects.toThrow(OutboundRefused)
      }
      expect(server.connections()).toBe(0)
    },
  )

  test('localhost is asked of no name server', async () => {
    const before = names.queries.length
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await others()(host)).toEqual([address('127.0.0.1'), address('::1')])
    }
    expect(names.queries).toHaveLength(before)
  })

  test('the system is asked only where private addresses are allowed, by one look-up at a time', async () => {
    const asked: string[] = []
    const lookUp = async (host: string) => {
      asked.push(host)
      return host === 'slow.internal' ? never() : [address('10.0.0.1')]
    }
    await expect(others({ lookUp })('private.internal')).rejects.toThrow('ENOTFOUND')
    expect(asked).toEqual([])
    const find = others({ lookUp, allowPrivate: true })
    expect(await find('private.internal')).toEqual([address('10.0.0.1')])
    void find('slow.internal')
    void find('other.internal')
    await names.queried(/^(slow|other)\.internal$/, 2)
    names.addresses.set('public.example', ['192.0.2.1'])
    expect(await find('public.example')).toEqual([address('192.0.2.1')])
    expect(asked).toEqual(['private.internal', 'slow.internal'])
  })
})

describe('names of the owner', () => {
  const owner = (lookUp: (host: string) => Promise<LookupAddress[]>) =>
    createFindForOwner({ lookUp, nameServers: [names.address], patienceMs: 0 })

  test('are looked up by the system, once for concurrent requests', async () => {
    const answer = Promise.withResolvers<LookupAddress[]>()
    const asked: string[] = []
    const find = createFindForOwner({
      lookUp: (host) => {
        asked.push(host)
        return answer.promise
      },
    })
    const found = [find('friend.local'), find('friend.local')]
    answer.resolve([address('192.168.1.2')])
    expect(await Promise.all(found)).toEqual([[address('192.168.1.2')], [address('192.168.1.2')]])
    expect(asked).toEqual(['friend.local'])
  })

  test('while the system does not answer, DNS is asked', async () => {
    names.addresses.set('directory.example', ['192.0.2.9'])
    const find = owner(never)
    for (const host of ['one.local', 'two.local']) void find(host)
    expect(await find('directory.example')).toEqual([address('192.0.2.9')])
  })

  test('a name that DNS does not have waits for the system', async () => {
    const answer = Promise.withResolvers<LookupAddress[]>()
    const found = owner(() => answer.promise)('patient.local')
    await names.queried(/^patient\.local$/)
    answer.resolve([address('192.168.1.2')])
    expect(await found).toEqual([address('192.168.1.2')])
    await expect(owner(() => Promise.reject(new Error('ENOTFOUND')))('none.local')).rejects.toThrow(
      'ENOTFOUND',
    )
  })
})

describe('names of a network for tests', () => {
  test('lead to this computer or nowhere, and neither name servers nor the system are asked', async () => {
    const asked: string[] = []
    const lookUp = async (host: string) => {
      asked.push(host)
      return [address('192.0.2.1')]
    }
    const before = names.queries.length
    const end = restrictToLoopback()
    try {
      const options = { lookUp, nameServers: [names.address], patienceMs: 0 }
      for (const find of [createFindForOwner(options), others({ lookUp, allowPrivate: true })]) {
        await expect(find('pds.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
        expect(await find('a.localhost')).toEqual([address('127.0.0.1'), address('::1')])
      }
    } finally {
      end()
    }
    expect([asked, names.queries.length]).toEqual([[], before])
  })
})
