/** Makes accounts in each status, with tokens of each kind. */

import { decodeJwt, signJwt } from '../accounts/session-jwt.ts'
import { type Answer, adminAuth } from '../server/server.ts'
import { server } from '../server/setup.ts'
import { type State, type Subject, type TokenName, tokens, uniqueName } from './model.ts'

export async function makeSubject(state: State, wanted: readonly TokenName[]): Promise<Subject> {
  const account = await server.account(uniqueName())
  const headers = new Map<TokenName, string>()
  const wantsNarrow = wanted.some((name) => 'isNarrow' in tokens[name])
  const setStatus = (status: Record<string, unknown>) =>
    succeed(
      server.post(
        'com.core.admin.updateSubjectStatus',
        { subject: { $type: 'com.core.admin.defs#repoRef', did: account.did }, ...status },
        adminAuth,
      ),
    )
  const signIn = (password = account.password) =>
    succeed(
      server.post('com.core.server.createSession', {
        identifier: account.did,
        password,
        allowTakendown: true,
      }),
    )
  const keepNarrow = async () => {
    const { accessJwt, refreshJwt } = await signIn()
    headers.set('takendown', `Bearer ${accessJwt}`).set('takendown refresh', `Bearer ${refreshJwt}`)
  }
  if (wantsNarrow && state !== 'takendown') {
    await setStatus({ takedown: { applied: true } })
    await keepNarrow()
    await setStatus({ takedown: { applied: false } })
  }
  if (wanted.includes('owner')) {
    await server.running.services.store.transact((tx) =>
      tx.run('UPDATE accounts SET is_owner = 1 WHERE did = ?', [account.did]),
    )
  }
  const full = await signIn()
  for (const name of wanted) {
    const header = await makeHeader(name, full, signIn)
    if (header !== undefined) headers.set(name, header)
  }
  if (state === 'deleted')
    await succeed(server.post('com.core.admin.deleteAccount', { did: account.did }, adminAuth))
  else if (state === 'takendown') await setStatus({ takedown: { applied: true } })
  else if (state !== 'active') await setStatus({ [state]: { applied: true } })
  if (wantsNarrow && state === 'takendown') await keepNarrow()
  return { ...account, state, headers }
}

interface Session {
  readonly accessJwt: string
  readonly refreshJwt: string
}

async function makeHeader(
  name: TokenName,
  full: Session,
  signIn: (password?: string) => Promise<Session>,
): Promise<string | undefined> {
  const key = server.running.services.identity.secrets.tokenKey
  const [header, claims] = decodeJwt(full.accessJwt)
  const [refreshHeader, refreshClaims] = decodeJwt(full.refreshJwt)
  const past = { iat: 1_600_000_000, exp: 1_600_000_001 }
  const withAppPassword = async (privileged: boolean) => {
    const input = { name, privileged }
    const { password } = await succeed(server.post('com.core.server.createAppPassword', input, full))
    return (await signIn(password)).accessJwt
  }
  const signedOut = async () => {
    const session = await signIn()
    await succeed(server.post('com.core.server.deleteSession', undefined, session))
    return session
  }
  switch (name) {
    case 'full':
    case 'owner':
      return `Bearer ${full.accessJwt}`
    case 'app password':
    case 'privileged':
      return `Bearer ${await withAppPassword(name === 'privileged')}`
    case 'refresh':
      return `Bearer ${full.refreshJwt}`
    case 'expired':
      return `Bearer ${signJwt(header, { ...claims, ...past }, key)}`
    case 'expired refresh':
      return `Bearer ${signJwt(refreshHeader, { ...refreshClaims, ...past }, key)}`
    case 'revoked':
      return `Bearer ${(await signedOut()).accessJwt}`
    case 'revoked refresh':
      return `Bearer ${(await signedOut()).refreshJwt}`
    case 'forged signature':
      return `Bearer ${signJwt(header, claims, Buffer.alloc(32))}`
    case 'alg none':
      return `Bearer ${signJwt({ ...header, alg: 'none' }, claims, key)}`
    case 'other alg':
      return `Bearer ${signJwt({ ...header, alg: 'HS512' }, claims, key)}`
    case "other server's aud":
      return `Bearer ${signJwt(header, { ...claims, aud: 'did:web:other.example' }, key)}`
    case 'access as refresh typ':
      return `Bearer ${signJwt(refreshHeader, claims, key)}`
    case 'refresh as access typ':
      return `Bearer ${signJwt(header, refreshClaims, key)}`
    case 'service token':
      return `Bearer ${(await succeed(server.get('com.core.server.getServiceAuth', { aud: String(claims.aud) }, full))).token}`
    case 'garbage':
      return 'Bearer garbage'
    case 'no scheme':
      return full.accessJwt
    case 'admin Basic':
      return adminAuth
    case 'wrong Basic':
      return `Basic ${Buffer.from('admin:wrong').toString('base64')}`
    default:
      return undefined
  }
}

export async function succeed(call: Promise<Answer>) {
  const { status, body } = await call
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
