/** The requirements of servers: their ids and sources, and the report. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemas } from '@atproto/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accepts,
  mistypedOf,
  namesOf,
  own,
  requiredOf,
} from '../../../server/operation/conformance/examples.ts'
import { json, junit, lineOf, markdown, summary } from '../../../server/operation/conformance/formats.ts'
import { methods } from '../../../server/operation/conformance/methods.ts'
import { areaOf } from '../../../server/operation/conformance/requirement.ts'
import { requirements } from '../../../server/operation/conformance/requirements.ts'
import type { Report, Result } from '../../../server/operation/conformance/runner.ts'
import { runConformance } from '../../../server/testing/conformance/conformance.ts'

describe('requirements', () => {
  const pages =
    'account at-uri-scheme blob cryptography data-model did event-stream handle nsid oauth record-key repository sync tid xrpc'
  const forms = [
    new RegExp(`^https://atproto\\.com/specs/(?:${pages.replaceAll(' ', '|')})#[a-z\\d-]+$`),
    /^lexicon com\.atproto\.[a-z]+\.[A-Za-z]+$/,
    /^interop vectors [\w-]+\/[\w-]+\.(?:txt|json)$/,
    /^reference server, \S/,
    /^RFC \d{4} §\d/,
  ]

  test('each has a source', () => {
    const without = requirements.filter(({ source }) => !forms.some((form) => form.test(source)))
    expect(without.map(({ id, source }) => `${id}: ${source}`)).toEqual([])
  })

  test('a lexicon that is a source is one of the network', () => {
    const known = new Set<string>(schemas.map(({ id }) => id))
    const named = requirements.flatMap(({ source }) => /^lexicon (.+)$/.exec(source)?.[1] ?? [])
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter((nsid) => !known.has(nsid))).toEqual([])
  })

  test('ids are unique, and begin with the area', () => {
    const ids = requirements.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.filter((id) => !/^[a-z-]+(?:\.[A-Za-z-]+)+$/.test(id))).toEqual([])
    expect([...new Set(requirements.map(areaOf))]).toEqual([
      ...[
        'xrpc',
        'lexicon',
        'identity',
        'session',
        'app-password',
        'record',
        'repo',
        'blob',
        'sync',
        'stream',
      ],
      ...['vectors', 'cors', 'oauth', 'account', 'move', 'limits'],
    ])
  })

  test('titles are facts of one line', () => {
    const odd = requirements.filter(
      ({ title }) => !/^(?:[A-Z#]|[a-z]+[A-Z.])/.test(title) || title.length > 110,
    )
    expect(odd.map(({ title }) => title)).toEqual([])
  })
})

describe('what follows from lexicons is the same by those of the network', () => {
  type Members = { readonly required?: string[]; readonly properties?: Readonly<Record<string, unknown>> }
  type Main = {
    readonly type: string
    readonly input?: { readonly schema?: Members }
    readonly parameters?: Members
  }
  const theirs = new Map(schemas.map((schema) => [schema.id as string, schema.defs as { main?: Main }]))
  const membersOf = (nsid: string): Members => {
    const { input, parameters } = theirs.get(nsid)?.main ?? {}
    return input?.schema ?? parameters ?? {}
  }

  test.each(methods)('$name', (method) => {
    const { name, nsid, verb } = method
    const { required = [], properties = {} } = membersOf(nsid)
    expect(theirs.get(nsid)?.main?.type).toBe(verb === 'GET' ? 'query' : 'procedure')
    expect(accepts(method, requiredOf(method)) || own[name]).toBeTruthy()
    expect(Object.keys(requiredOf(method)).toSorted()).toEqual(required.toSorted())
    for (const [member] of mistypedOf(method)) expect(Object.keys(properties)).toContain(member)
    const added = namesOf(method).filter((member) => !(member in properties))
    const isDemanded = (member: string) => namesOf(method).includes(member) && !required.includes(member)
    for (const member of added) expect(own[name]).toContain(member)
    for (const member of own[name] ?? []) expect(isDemanded(member)).toBe(true)
  })
})

const result: Result = {
  ...{ area: 'repo', id: 'repo.car.root', level: 'must', title: 'The root is a commit', source: 'RFC 1 §1' },
  ...{ outcome: 'passed', reason: undefined, expected: undefined, ms: 12 },
}
const report: Report = {
  url: 'https://pds.example.com',
  results: [
    result,
    { ...result, id: 'repo.a', outcome: 'failed', reason: 'it is <b> | "c"' },
    { ...result, id: 'repo.b', outcome: 'failed', reason: 'old', expected: 'known' },
    { ...result, id: 'repo.c', level: 'should', outcome: 'failed', reason: 'no' },
    { ...result, id: 'repo.d', outcome: 'skipped', reason: 'it needs an account' },
  ],
  fixed: ['repo.e'],
  leftovers: [],
  ended: undefined,
  hasFailed: true,
}

describe('a report', () => {
  test('as a table has a line per requirement, with area, id, level, result and reason', () => {
    const lines = report.results.map((each) => lineOf(each).replaceAll(/ +/g, ' '))
    expect(lines).toEqual([
      'repo repo.car.root must ok',
      'repo repo.a must FAILED The root is a commit: it is <b> | "c"',
      'repo repo.b must expected The root is a commit: old (expected: known)',
      'repo repo.c should failed The root is a commit: no',
      'repo repo.d must skipped it needs an account',
    ])
  })

  test('ends with counts, the failures with their sources, and expected failures that passed', () => {
    expect(summary(report).split('\n')).toEqual([
      ...[
        '',
        'https://pds.example.com',
        'must   1 met, 2 failed, 1 skipped',
        'should 0 met, 1 failed, 0 skipped',
      ],
      ...['info   0 met, 0 failed, 0 skipped', '', 'A must failed:', '  repo.a  RFC 1 §1'],
      ...['', 'Expected to fail, but met:', '  repo.e', ''],
    ])
  })

  test('as JSON has everything', () => {
    expect(JSON.parse(json(report))).toEqual(JSON.parse(JSON.stringify(report)))
  })

  test('as JUnit has the unexpected failure of a must alone', () => {
    const text = junit(report)
    expect(text).toContain('<testsuite name="repo" tests="5" failures="1" skipped="3">')
    expect(
      text.match(/<failure message="it is &lt;b&gt; \| &quot;c&quot;">RFC 1 §1<\/failure>/g),
    ).toHaveLength(1)
    expect(text.match(/<testcase /g)).toHaveLength(5)
  })

  test('as Markdown is a table', () => {
    const rows = markdown(report)
      .split('\n')
      .filter((line) => line.startsWith('| repo '))
    expect(rows).toHaveLength(5)
    expect(rows[1]).toBe('| repo | `repo.a` | must | FAILED | The root is a commit | it is &lt;b> \\| "c" |')
  })
})

describe('the command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conformance-'))
    broken.listen(0, 'localhost')
    await once(broken, 'listening')
    url = `http://localhost:${(broken.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    broken.close()
    await rm(folder, { recursive: true })
  })

  const run = async (...args: string[]) => {
    let output = ''
    const errors: string[] = []
    const write = process.stderr.write
    process.stderr.write = (text: string | Uint8Array) => errors.push(String(text)) > 0
    try {
      const code = await runConformance(args, (text) => {
        output += text
      })
      return { code, output, errors: errors.join('') }
    } finally {
      process.stderr.write = write
    }
  }
  /** Answers every request 500. */
  const broken = createServer((_, response) => response.writeHead(status, headers).end())
  let status = 500
  let headers: OutgoingHttpHeaders = {}
  let url = ''

  test('--list lists the requirements that --grep chooses, with their sources', async () => {
    const { code, output } = await run('--list', '--grep', 'repo.commit.rev-monotonic')
    expect(code).toBe(0)
    expect(output).toMatch(
      /^repo\.commit\.rev-monotonic +must +Each write .* \[https:.*#repository-revisions\]\n$/,
    )
  })

  test('a server that is broken fails', async () => {
    const { code, output } = await run('--url', url, '--grep', 'identity.server.did')
    expect(code).toBe(1)
    expect(output).toContain('answered 500')
  })

  test('a check of which everything is skipped has measured nothing', async () => {
    const { code, errors } = await run('--url', url, '--grep', 'move.out')
    expect(code).toBe(2)
    expect(errors).toContain('every requirement was skipped')
  })

  test('a clock that differs is said before', async () => {
    headers = { date: new Date(Date.now() + 3_600_000).toUTCString() }
    const { errors } = await run('--url', url, '--grep', 'identity.server.did')
    headers = {}
    expect(errors).toMatch(/^The clock of the server is (?:59|60) minutes ahead of that of this computer\./)
  })

  test.each([
    [301, { location: 'https://pds.example.com/' }, 'redirects to https://pds.example.com/'],
    [404, { 'content-type': 'text/html' }, 'is no personal data server'],
    [404, { 'content-type': 'a/b\u009b2J' }, 'answered 404, a/b\ufffd2J'],
    [200, { 'content-type': 'text/html; charset=utf-8' }, 'is no personal data server'],
  ])('a site that answers %i %j is spared the other requests', async (answered, given, words) => {
    ;[status, headers] = [answered, given]
    const { code, output, errors } = await run('--url', url)
    ;[status, headers] = [500, {}]
    expect({ code, output, errors }).toEqual({ code: 2, output: '', errors: expect.stringContaining(words) })
  })

  test('a failure that the file expects does not fail, and one that is met is reported', async () => {
    const file = join(folder, 'expected')
    writeFileSync(file, '# Known.\n\nidentity.server.did  the server is off\n')
    const { code, output } = await run('--url', url, '--grep', 'identity.server.did', '--expect', file)
    expect(code).toBe(0)
    expect(output).toContain('(expected: the server is off)')
  })

  test.each([
    ['--url must be the URL of a server', ['--grep', 'repo']],
    ['--url must be the URL of a server', ['--url', 'pds.example.com']],
    ['without /xrpc/', ['--url', 'https://pds.example.com/xrpc/']],
    ['http://localhost:1 cannot be measured: GET /xrpc/', ['--url', 'http://localhost:1']],
    ['--plc must be the URL', ['--url', 'http://localhost:1', '--plc', 'plc.example.com']],
    ['--dev must be the URL', ['--url', 'http://localhost:1', '--dev', 'localhost']],
    ['--create needs --plc', ['--url', 'http://localhost:1', '--create', '--admin', 'secret']],
    ['--account must be HANDLE:PASSWORD', ['--url', 'http://localhost:1', '--account', 'alice.test']],
    ['No requirement has nothing in its id', ['--list', '--grep', 'nothing']],
    ['--grep is given twice', ['--list', '--grep', 'session', '--grep', 'record']],
    ['Choose one of --json and --junit', ['--url', 'http://localhost:1', '--json', '--junit']],
    ["Unknown option '--uri'", ['--uri', 'http://localhost:1']],
    ['there is no such file', ['--url', 'http://localhost:1', '--expect', '/absent']],
    ['it is a folder', ['--url', 'http://localhost:1', '--expect', tmpdir()]],
  ])('%s: an error of one line and the exit code 2', async (sentence, args) => {
    const { code, errors } = await run(...args)
    expect(code).toBe(2)
    expect(errors).toContain(sentence)
    expect(errors.trimEnd().split('\n')).toHaveLength(1)
  })

  test.each([
    ['repo.absent-id  a reason', 'there is no requirement repo.absent-id'],
    ['repo.car.root', 'repo.car.root needs a reason'],
  ])('a file with "%s" is refused', async (line, sentence) => {
    const file = join(folder, 'wrong')
    writeFileSync(file, `${line}\n`)
    const { code, errors } = await run('--url', url, '--expect', file)
    expect(code).toBe(2)
    expect(errors).toContain(`${file}:1: ${sentence}`)
  })
})
