/** Sign-in of apps by OAuth: the answer of the person, codes, tokens and their proofs of possession. */
import { accountOf, collection, newRecord } from '../account.ts'
import { expectStatus, outputOf } from '../answers.ts'
import { appOf, issuerOf, newApp } from '../app.ts'
import {
  allow,
  callAs,
  decide,
  exchange,
  newGrant,
  pushRequest,
  requestTokens,
  revoke,
  tokensOf,
} from '../consent.ts'
import type { Answer } from '../http.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { rfc, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect, expectSame, relyOn, Skipped, shown } from '../verdict.ts'

const getSession = 'com.atproto.server.getSession'

function expectGrantRefused(answer: Answer): void {
  expectStatus(answer, 400, 401)
  expect(typeof answer.json?.error === 'string', `${answer.asked} answered ${answer.status} without an error`)
}

/** Exchanges a refresh token of a new grant. */
async function refreshed(target: Target) {
  const grant = await newGrant(target)
  const first = outputOf(await exchange(target, grant))
  const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token }
  const refresh = () => requestTokens(target, grant.app, form)
  return { app: grant.app, first, refresh }
}

/** Tokens that have read the session: otherwise the server may refuse them for another reason. @throws Skipped */
const usableOf = shared(async (target: Target) => {
  const tokens = await tokensOf(target)
  await relyOn(callAs(target, getSession, tokens).then(outputOf))
  return tokens
})

const answers: readonly Requirement[] = [
  must(
    'oauth.consent.answer',
    'The answer to an app has the code, its state and the issuer',
    rfc(9207, '2'),
    async (target) => {
      const pushed = await pushRequest(target, await appOf(target))
      const answer = await allow(target, pushed)
      const { issuer } = await issuerOf(target)
      expect(answer.get('code'), 'the answer has no code')
      expectSame([answer.get('state'), answer.get('iss')], [pushed.state, issuer], 'state and iss')
    },
  ),
  must(
    'oauth.consent.denied',
    'A request that the person denies is answered access_denied',
    rfc(6749, '4.1.2.1'),
    async (target) => {
      const pushed = await pushRequest(target, await appOf(target))
      const { searchParams: answer } = await decide(target, pushed, false)
      expectSame([answer.get('error'), answer.get('code')], ['access_denied', null], 'error and code')
    },
  ),
  should(
    'oauth.consent.once',
    'A pushed request that was answered opens no page again',
    rfc(9126, '4'),
    async (target) => {
      const pushed = await pushRequest(target, await appOf(target))
      await allow(target, pushed)
      const second = await decide(target, pushed, true).catch((error: unknown) => error as Error)
      expect(!(second instanceof URL) || !second.searchParams.has('code'), 'it gives a second code')
    },
  ),
]

const codes: readonly Requirement[] = [
  must(
    'oauth.code.tokens',
    'A code gives tokens of the type DPoP, for the account and the scope',
    rfc(9449, '5'),
    async (target) => {
      const { answer } = await tokensOf(target)
      const { did } = await accountOf(target)
      expectSame([answer.token_type, answer.sub], ['DPoP', did], 'token_type and sub')
      expect(String(answer.scope).split(' ').includes('atproto'), `scope is ${shown(answer.scope)}`)
      expect(
        Number.isInteger(answer.expires_in) && answer.expires_in > 0,
        `expires_in is ${answer.expires_in}`,
      )
    },
  ),
  must('oauth.code.once', 'A code is used once', rfc(6749, '4.1.2'), async (target) => {
    const grant = await newGrant(target)
    outputOf(await exchange(target, grant))
    expectGrantRefused(await exchange(target, grant))
  }),
  must('oauth.code.verifier', 'A code with another verifier is refused', rfc(7636, '4.6'), async (target) => {
    await relyOn(tokensOf(target))
    expectGrantRefused(await exchange(target, await newGrant(target), { code_verifier: 'v'.repeat(43) }))
  }),
  must(
    'oauth.code.redirect',
    'A code with another redirect is refused',
    rfc(6749, '4.1.3'),
    async (target) => {
      await relyOn(tokensOf(target))
      expectGrantRefused(
        await exchange(target, await newGrant(target), { redirect_uri: 'http://127.0.0.1/other' }),
      )
    },
  ),
  must(
    'oauth.code.key',
    'A code is refused with another key than that of its request',
    rfc(9449, '10.1'),
    async (target) => {
      await relyOn(tokensOf(target))
      expectGrantRefused(await exchange(target, await newGrant(target), {}, await newApp(target)))
    },
  ),
]

const proofs: readonly Requirement[] = [
  must('oauth.token.use', 'A token with its proof reads the session', rfc(9449, '7.1'), async (target) => {
    const { did } = await accountOf(target)
    expectSame(outputOf(await callAs(target, getSession, await tokensOf(target))).did, did, 'did')
  }),
  must(
    'oauth.token.bearer',
    'A token of the type DPoP is no Bearer token',
    rfc(9449, '7.2'),
    async (target) => {
      const proof = { scheme: 'Bearer', app: null } as const
      expectStatus(await callAs(target, getSession, await usableOf(target), proof), 400, 401)
    },
  ),
  must('oauth.token.proof', 'A token without a proof is refused', rfc(9449, '7.1'), async (target) => {
    expectStatus(await callAs(target, getSession, await usableOf(target), { app: null }), 400, 401)
  }),
  must(
    'oauth.token.key',
    'A token with a proof of another key is refused',
    rfc(9449, '7.1'),
    async (target) => {
      expectStatus(
        await callAs(target, getSession, await usableOf(target), { app: await newApp(target) }),
        400,
        401,
      )
    },
  ),
  must(
    'oauth.token.hash',
    'A token with the proof for another token is refused',
    rfc(9449, '7.1'),
    async (target) => {
      expectStatus(await callAs(target, getSession, await usableOf(target), { proven: 'another' }), 400, 401)
    },
  ),
  must(
    'oauth.token.scope',
    'An app with the scope atproto alone writes no records',
    spec('oauth', 'Authorization Scopes'),
    async (target) => {
      const { did: repo } = await accountOf(target)
      const input = { repo, collection, record: newRecord() }
      const answer = await callAs(target, 'com.atproto.repo.createRecord', await usableOf(target), {}, input)
      expectStatus(answer, 400, 401, 403)
    },
  ),
]

const refreshing: readonly Requirement[] = [
  must('oauth.refresh', 'A refresh token gives new tokens of the account', rfc(6749, '6'), async (target) => {
    const { first, refresh } = await refreshed(target)
    const second = outputOf(await refresh())
    expectSame(second.sub, first.sub, 'sub')
    expect(second.access_token !== first.access_token, 'the access token is the same')
    expect(second.refresh_token !== first.refresh_token, 'the refresh token is the same')
  }),
  info(
    'oauth.refresh.once',
    'A refresh token that was used is refused at once',
    spec('oauth', 'Tokens and Session Lifetime'),
    async (target) => {
      const { refresh } = await refreshed(target)
      outputOf(await refresh())
      expectGrantRefused(await refresh())
    },
  ),
  should('oauth.revoke', 'A refresh token that was revoked is refused', rfc(7009, '2'), async (target) => {
    if (!(await issuerOf(target)).revocation_endpoint)
      throw new Skipped('the server has no endpoint to revoke tokens')
    const { app, first, refresh } = await refreshed(target)
    await revoke(target, app, first.refresh_token)
    expectGrantRefused(await refresh())
  }),
]

export const oauthConsent: readonly Requirement[] = [...answers, ...codes, ...proofs, ...refreshing]
