/** Identities: DID documents, handles, well-known paths. */
import { handleOf, pdsEndpointOf, signingKeyOf } from '../../../identity/did/did-document.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { repositoryOf, resolveDocument } from '../repository.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { expect, expectSame, Skipped } from '../verdict.ts'

const resolveHandle = 'com.atproto.identity.resolveHandle'
const describeRepo = 'com.atproto.repo.describeRepo'

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
      expect(did !== undefined, 'describeServer has no did')
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
      const { described } = await repositoryOf(target)
      expect(described && signingKeyOf(described), 'describeRepo has no DID document with a signing key')
      const endpoint = pdsEndpointOf(described)
      expect(isSameServer(endpoint, target.url), `its endpoint is ${endpoint}`)
    },
  ),
  must(
    'identity.document.directory',
    'The directory has the same key and server',
    spec('did', 'DID Documents'),
    async (target) => {
      const { document, signingKey } = await repositoryOf(target)
      const published = await resolveDocument(target, (await repositoryOf(target)).did)
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
