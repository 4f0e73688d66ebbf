/** Who is answered from where: pages of each origin and programs, by loopback and through proxies, with and without credentials. */
import { beforeAll, describe, expect, test } from 'vitest'
import { hookMs } from '../support/access/client.ts'
import {
  type Answered,
  callFrom,
  foreignSenders,
  makeCallers,
  matrixOf,
  named,
  privateWays,
  publicWays,
} from '../support/access/from-where.ts'
import { everything } from '../support/access/model.ts'
import { accessPage } from '../support/access/page.ts'
import { setupServer } from '../support/server/setup.ts'
import { inlineFiles } from '../support/store/inline-files.ts'

const settings = { proxyPort: 0, trustedOrigins: [named] }
/** By kind of server. */
const answers: Record<'private' | 'public', Answered[]> = { private: [], public: [] }

async function callEverything(ways: typeof privateWays): Promise<Answered[]> {
  const callers = await makeCallers()
  const all: Answered[] = []
  for (const method of everything) all.push(...(await callFrom(method, ways, callers)))
  return all
}

const show = ({ method, way, sender, credentials, answer }: Answered) =>
  `${method.nsid}: ${sender} by ${way} with ${credentials}: ${answer}`
const keyOf = ({ method, credentials }: Answered) => `${method.nsid} ${credentials}`

/** What a program at this computer is refused, though it sends the same credentials. */
function beyondPrograms(all: readonly Answered[]): string[] {
  const allowed = new Set(
    all
      .filter((each) => each.sender === 'program' && each.way === 'loopback' && each.answer === 'yes')
      .map(keyOf),
  )
  return all.filter((each) => each.answer === 'yes' && !allowed.has(keyOf(each))).map(show)
}

/** The methods that the callers of `isOne` may call. */
const open = (all: readonly Answered[], isOne: (each: Answered) => boolean) =>
  [
    ...new Set(all.filter((each) => each.answer === 'yes' && isOne(each)).map(({ method }) => method.nsid)),
  ].sort()

const isAnonymousPage = ({ sender, credentials }: Answered) =>
  credentials === 'nothing' && foreignSenders.includes(sender)

/** What a page may start for its visitor: signing in, and resetting a password by a code in a mail. */
const signIn = [
  'com.core.factor.challengePasskey',
  'com.core.factor.provePasskey',
  'com.core.server.createSession',
  'com.core.server.requestPasswordReset',
  'com.core.server.resetPassword',
]
/** Answered by a refusal of their own, or by the nonce of a probe that this server sent to itself. */
const harmless = ['com.core.friend.propose', 'com.core.server.receiveProbe']
/** For pages of this server and programs, wherever they are. */
const ownPagesOnly = [
  'com.core.move.findAccount',
  'com.core.move.moveIn',
  'com.core.move.prepareRecovery',
  'com.core.oauth.getRequest',
  'com.core.oauth.waitForApproval',
]
/** For computers of the local network. */
const nearOnly = ['com.core.friend.conclude', 'com.core.friend.reveal']

describe('a server without a public address', () => {
  setupServer({ files: inlineFiles, config: { ...settings, publicUrl: undefined }, accounts: ['bystander'] })
  beforeAll(async () => {
    answers.private = await callEverything(privateWays)
  }, hookMs)

  test('pages and proxies get at most the answers of a program at this computer', () => {
    expect(beyondPrograms(answers.private)).toEqual([])
  })

  test('a page of another origin reads the description of the server, may sign in, and nothing more', () => {
    const pages = open(answers.private, (each) => isAnonymousPage(each) && each.sender !== 'image')
    expect(pages).toEqual([...signIn, ...harmless, 'com.core.server.describeServer'].sort())
    const images = open(answers.private, (each) => isAnonymousPage(each) && each.sender === 'image')
    expect(images).toEqual([...pages, 'com.core.sync.getBlob'].sort())
  })

  test('a page of an origin that the owner named changes only what other pages may change', () => {
    const isNamed = ({ sender, credentials, method }: Answered) =>
      sender === 'named origin' && credentials === 'nothing' && method.schema.type === 'procedure'
    expect(open(answers.private, isNamed)).toEqual([...signIn, ...harmless].sort())
  })
})

describe('a public server', () => {
  setupServer({
    files: inlineFiles,
    config: { ...settings, trustedProxies: ['loopback'] },
    accounts: ['bystander'],
  })
  beforeAll(async () => {
    answers.public = await callEverything(publicWays)
  }, hookMs)

  test('pages and proxies get at most the answers of a program at this computer', () => {
    expect(beyondPrograms(answers.public)).toEqual([])
  })

  test('pages of other origins are refused the methods for its own pages, with any credentials', () => {
    const pages = open(answers.public, ({ sender }) => foreignSenders.includes(sender))
    expect(pages.filter((nsid) => [...ownPagesOnly, ...nearOnly].includes(nsid))).toEqual([])
  })
})

test.each(['private', 'public'] as const)('through a proxy, nothing of a %s server is local', (kind) => {
  const distant = open(answers[kind], ({ way }) => way !== 'loopback')
  expect(distant.filter((nsid) => nearOnly.includes(nsid))).toEqual([])
})

test('from-where.md lists the answers', async () => {
  const byMethod = new Map(
    everything.map((method) => [
      method.nsid,
      new Map(
        Object.entries(answers).flatMap(([kind, all]) =>
          [...matrixOf(all.filter((each) => each.method === method))].map(
            ([way, cells]) => [`${kind}: ${way}`, cells] as const,
          ),
        ),
      ),
    ]),
  )
  const intro = `# Who may call what, from where

Generated by \`npm run vitest -- test/access -u\`: each method is called in each way, by programs and by pages of each origin. Methods with the same answers share a table. \`yes\`: the call reaches its handler; else the error. "yes: program, own page; else Forbidden" means that all others are refused.

- **Servers**: private without a public address, public with one.
- **Ways**: loopback; proxy port (the listener of proxies and tunnels); trusted proxy (configured, at the ordinary listener); unknown proxy (not configured: it shows by its headers, or by the public name of the server).
- **Senders**: program (no \`Origin\`); own page; named origin (the owner named it in the settings); https page (of another site); other port (a page of this computer); extension; null origin; image (cross-site, without \`Origin\`).
- **Columns**: nothing (no credentials); session (full, or its refresh token); owner (the full session of the owner); admin password.`
  await expect(accessPage(intro, 'server, way', byMethod)).toMatchFileSnapshot('from-where.md')
})
