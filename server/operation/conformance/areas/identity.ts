/** Identities: DID documents, handles, well-known paths. */
import {
  handleOf,
  parseDidDocument,
  pdsEndpointOf,
  signingKeyOf,
} from '../../../identity/did/did-document.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { repositoryOf } from '../repository.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { publicDirectory, type Target } from '../target.ts'
import { expect, expectSame, Failed, Skipped } from '../verdict.ts'

const resolveHandle = 'com.atproto.identity.resolveHandle'
const describeRepo = 'com.atproto.repo.describeRepo'

/** Resolves the DID of the repository at its directory or domain. @throws Skipped if the document cannot be had there */
async function resolve(target: Target) {
  const { did } = await repositoryOf(target)
  const [, method, id = ''] = did.split(':', 3)
  if (method !== 'plc' && method !== 'web') throw new Skipped(`${did} is of an unknown method`)
  const address =
    method === 'plc'
      ? `${target.plcUrl ?? publicDirectory}/${did}`
      : `https://${decodeURIComponent(id)}/.well-known/did.json`
  const answer = await target.send(address).catch((error: unknown) => {
    // The server that is measured may work offline.
    if (method === 'plc' && error instanceof Failed)
      throw new Skipped(`${error.message}: --plc names the directory`)
    throw error
  })
  if (answer.status === 404) throw new Skipped(`${address} does not have it: --plc names the directory`)
  expectStatus(answer, 200)
  const document = parseDidDocument(JSON.parse(answer.bytes.toString()), did)
  expect(document, `${address} is not the document of ${did}`)
  return document
}

/** Servers on this computer may be reached under several names. */
function isSameServer(endpoint: string | undefined, url: string): boolean {
  return endpoint !== undefined && new URL(endpoint).origin === new URL(url).origin
}

export const identity: readonly Requirement[] = [
  must(
    'identity.server.did',
    'The server has a DID',
    lexicon('com.atproto.server.describeServer'),
    async ({ call }) => {
      const { did } = outputOf(await call('com.atproto.server.describeServer'))
      expect(/^did:(?:web|plc):\S+$/.test(did ?? ''), `did is ${did}`)
      return did
    },
  ),
  info(
    'identity.server.document',
    'The DID document of the server is at /.well-known/did.json',
    reference('well-known'),
    async (target) => {
      const { did } = outputOf(await target.call('com.atproto.server.describeServer'))
      const answer = await target.send('/.well-known/did.json')
      expectStatus(answer, 200)
      expectSame(JSON.parse(answer.bytes.toString()).id, did, 'id')
    },
  ),
  must(
    'identity.document.endpoint',
    'The DID document in describeRepo names this server',
    spec('did', 'DID Documents'),
    async (target) => {
      const { document } = await repositoryOf(target)
      const endpoint = pdsEndpointOf(document)
      expect(isSameServer(endpoint, target.url), `its endpoint is ${endpoint}`)
    },
  ),
  must(
    'identity.document.directory',
    'The directory has the same key and server',
    spec('did', 'DID Documents'),
    async (target) => {
      const { document, signingKey } = await repositoryOf(target)
      const published = await resolve(target)
      expectSame(signingKeyOf(published), signingKey, 'the key')
      expectSame(pdsEndpointOf(published), pdsEndpointOf(document), 'the server')
    },
  ),
  must(
    'identity.handle.document',
    'The DID document claims the handle of describeRepo',
    spec('handle', 'Handle Resolution'),
    async (target) => {
      const { document, handle } = await repositoryOf(target)
      if (handle === 'handle.invalid') throw new Skipped('the handle of the account is invalid')
      expectSame(handleOf(document), handle, 'the claimed handle')
    },
  ),
  must(
    'identity.handle.resolve',
    'resolveHandle resolves a handle of the server',
    lexicon(resolveHandle),
    async (target) => {
      const { did, handle } = await repositoryOf(target)
      expectSame(outputOf(await target.call(resolveHandle, { query: { handle } })).did, did, 'the DID')
    },
  ),
  should(
    'identity.handle.case',
    'Handles are resolved in upper case too',
    spec('handle', 'Handle Identifier Syntax'),
    async (target) => {
      const { did, handle } = await repositoryOf(target)
      const query = { handle: handle.toUpperCase() }
      expectSame(outputOf(await target.call(resolveHandle, { query })).did, did, 'the DID')
    },
  ),
  must(
    'identity.handle.absent',
    'A handle that does not exist is refused',
    lexicon(resolveHandle),
    async (target) => {
      const { availableUserDomains } = outputOf(await target.call('com.atproto.server.describeServer'))
      const handle = `absent-${'x'.repeat(10)}${availableUserDomains?.[0] ?? '.invalid'}`
      expectError(await target.call(resolveHandle, { query: { handle } }), [400, 404])
    },
  ),
  must(
    'identity.repo.handle',
    'describeRepo finds a repository by handle and by DID',
    lexicon(describeRepo),
    async (target) => {
      const { did, handle } = await repositoryOf(target)
      const byHandle = outputOf(await target.call(describeRepo, { query: { repo: handle } }))
      expectSame([byHandle.did, byHandle.handle], [did, handle], 'did and handle')
      expect(Array.isArray(byHandle.collections), 'collections is absent')
    },
  ),
  must(
    'identity.repo.absent',
    'describeRepo of an unknown DID is refused',
    lexicon(describeRepo),
    async ({ call }) => {
      expectError(
        await call(describeRepo, { query: { repo: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' } }),
        [400, 404],
      )
    },
  ),
]
