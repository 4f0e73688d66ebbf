/** Requests copied as code: the shell and the test get what the client sent. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlOf, testOf } from '../../../renderer/screens/requests/copied-code.ts'

const request = {
  ...{
    id: 1,
    at: '2030-01-01T00:00:00.000Z',
    microseconds: 1500,
    verb: 'POST',
    outputBytes: 2,
    inputCut: false,
  },
  ...{ path: '/xrpc/com.test.it', name: 'com.test.it', status: 200, scheme: 'bearer', ownPage: false },
  params: [{ name: 'q', value: `it's "a" $HOME \\ \`x\` ünï` }],
  input: JSON.stringify({ text: `it's "a" $HOME \\ \`x\`\n${'$'}{x} </script>` }),
} as const

/** A copy: the lists of the server's types are mutable. */
const sample = (change: object) => ({ ...request, params: [...request.params], ...change }) as never

test.skipIf(process.platform === 'win32')('curl: the shell passes each argument as it was', () => {
  const command = curlOf(sample({}), 'http://localhost:2583').replace(/^curl/, `printf '%s\\0'`)
  const printed = execFileSync('sh', ['-c', command], { env: { TOKEN: 'the-token' }, encoding: 'utf8' })
  const [url = '', ...rest] = printed.split('\0')
  expect(new URL(url).searchParams.get('q')).toBe(request.params[0].value)
  expect(rest).toEqual([
    ...['-X', 'POST', '-H', 'Authorization: Bearer the-token'],
    ...['-H', 'Content-Type: application/json', '--data', request.input, ''],
  ])
})

test('curl: the admin password, and a body that is no JSON', () => {
  const upload = { verb: 'POST', input: undefined, inputType: 'image/png', scheme: 'basic', params: [] }
  expect(curlOf(sample(upload), 'http://localhost:2583')).toBe(
    [
      `curl 'http://localhost:2583/xrpc/com.test.it'`,
      '-X POST',
      '-u "admin:$TOKEN"',
      `-H 'Content-Type: image/png'`,
      '--data-binary @FILE',
    ].join(' \\\n  '),
  )
})

test('HEAD: curl waits for no body, and the test reads none', () => {
  const head = sample({
    verb: 'HEAD',
    input: undefined,
    params: [],
    scheme: undefined,
    status: 400,
    error: 'E',
  })
  expect(curlOf(head, 'http://localhost')).toBe(`curl 'http://localhost/xrpc/com.test.it' \\\n  -I`)
  expect(testOf(head)).toContain('expect(response.status).toBe(400)')
  expect(testOf(head)).not.toContain('response.json()')
})

test('test: sends the request to a network, and expects its answer', async () => {
  const sent: { url: string; init: RequestInit }[] = []
  const code = testOf(sample({ status: 400, error: "It's" }))
    .replaceAll(/^import .*$/gm, '')
    .replace(/^test\(/m, 'return run(')
  const network = {
    url: 'http://network',
    accounts: { create: async () => ({ session: { accessJwt: 'jwt' } }) },
    stop: async () => void sent.push({ url: 'stopped', init: {} }),
  }
  const answer = { status: 400, json: async () => ({ error: "It's" }) }
  const fetched = async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return answer
  }
  const run = (_title: string, work: () => Promise<void>) => work()
  const names = ['run', 'startNetwork', 'fetch', 'expect']
  await new Function(...names, code)(run, async () => network, fetched, expect)
  const [call, stopped] = sent
  expect(new URL(call?.url ?? '').searchParams.get('q')).toBe(request.params[0].value)
  expect(call?.init).toEqual({
    method: 'POST',
    headers: { authorization: 'Bearer jwt', 'content-type': 'application/json' },
    body: request.input,
  })
  expect(stopped?.url).toBe('stopped')
})

test('test: accounts of the network take the places of the caller and of others', () => {
  const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
  const other = 'did:plc:44ybard66vv44zksje25o7dz'
  const code = testOf(
    sample({
      did,
      params: [
        { name: 'actor', value: did },
        { name: 'others', value: other },
      ],
      input: JSON.stringify({ repo: did, text: `"${did}"`, cut: `"${did}`, subject: other, [did]: 1 }),
    }),
  )
  expect(code).toContain(`network.url + '/xrpc/com.test.it?actor=' + alice.did + '&others=' + bob.did`)
  expect(code).toContain(
    `JSON.stringify({"repo":alice.did,"text":"\\"${did}\\"","cut":"\\"${did}","subject":bob.did,"${did}":1})`,
  )
  const created = (text: string) => text.match(/accounts\.create\(.*\)/g) ?? []
  expect(created(code)).toEqual([
    "accounts.create({ handle: 'alice' })",
    "accounts.create({ handle: 'bob' })",
  ])
  const byAdmin = testOf(sample({ scheme: 'basic', did: undefined, input: JSON.stringify({ did: other }) }))
  expect(created(byAdmin)).toEqual(["accounts.create({ handle: 'alice' })"])
  expect(byAdmin).toContain("'Basic ' + btoa('admin:admin')")
  expect(byAdmin).toContain('{"did":alice.did}')
  // The account may have been absent.
  const refused = testOf(sample({ did, status: 400, input: JSON.stringify({ did: other }) }))
  expect(refused).toContain(`{"did":"${other}"}`)
})
