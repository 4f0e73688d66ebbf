/**
 * Passkeys (WebAuthn) as second factors. They work on the pages of the host name on which they were made. Loaded with the first
 * of them: the library takes 25 MB.
 *
 * A challenge carries its time and a MAC with a key of this start, so that requests for challenges store nothing.
 */
import { createHmac, hash } from 'node:crypto'
import type { LexMap } from '@atproto/lex-data'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { LRUCache } from 'lru-cache'
import { upToEntries } from '../../util/entry-limit.ts'
import { randomBytes } from '../../util/random.ts'
import { isSameSecret } from '../auth/authorization.ts'
import type { SecondFactor } from '../tables/second-factors.ts'

interface Deps {
  readonly now: () => Date
  /** Public URL of this server, without a trailing slash. */
  readonly origin: string
  readonly port: number
}

const challengeMs = 5 * 60_000
/** Answers that are remembered, so that each counts once. */
const maxUsed = 10_000

/** The purpose of a challenge: a passkey for an account, or a proof. */
type Purpose = `add ${string}` | 'prove'

/** A new passkey. */
export interface Passkey {
  readonly credentialId: string
  readonly key: Uint8Array<ArrayBuffer>
  readonly counter: number
  readonly host: string
}

export type Passkeys = ReturnType<typeof createPasskeys>

export function createPasskeys({ now, origin, port }: Deps) {
  const secret = randomBytes(32)
  const used = new LRUCache<string, true>(upToEntries(maxUsed))
  /** Origins of our own pages. Another program of this computer, at another port, is another site. */
  const origins = [...new Set([origin, `http://localhost:${port}`])]

  function macOf(content: string, purpose: Purpose): string {
    return createHmac('sha256', secret).update(`${purpose}\0${content}`).digest('base64url')
  }

  function challenge(purpose: Purpose): Uint8Array<ArrayBuffer> {
    const content = `${now().getTime()}.${randomBytes(16).toString('base64url')}`
    return new Uint8Array(Buffer.from(`${content}.${macOf(content, purpose)}`))
  }

  /** @param encoded the challenge in an answer: base64url */
  function isOurs(encoded: string, purpose: Purpose): boolean {
    const [at = '', random = '', mac = ''] = Buffer.from(encoded, 'base64url').toString().split('.')
    const age = now().getTime() - Number(at)
    return isSameSecret(mac, macOf(`${at}.${random}`, purpose)) && age >= 0 && age <= challengeMs
  }

  /** Checks a challenge, once. */
  function spend(encoded: string, purpose: Purpose): boolean {
    if (!isOurs(encoded, purpose) || used.has(encoded)) return false
    used.set(encoded, true)
    return true
  }

  return {
    /** Options of `navigator.credentials.create`. They name no host, so the browser takes that of the page. */
    async creation(
      account: { did: string; handle: string },
      others: readonly SecondFactor[],
    ): Promise<LexMap> {
      const options = await generateRegistrationOptions({
        rpName: 'Personal data server',
        rpID: 'localhost',
        userName: account.handle,
        userID: new Uint8Array(hash('sha256', account.did, 'buffer')),
        challenge: challenge(`add ${account.did}`),
        timeout: challengeMs,
        attestationType: 'none',
        excludeCredentials: others.flatMap(({ credentialId: id }) => (id === null ? [] : [{ id }])),
        // A discoverable credential: requests need no `allowCredentials`.
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      })
      return asJson({ ...options, rp: { name: options.rp.name } })
    },

    /** Checks the answer to `creation`. @returns undefined if it is invalid */
    async add(did: string, response: object): Promise<Passkey | undefined> {
      const verified = await verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: (encoded) => spend(encoded, `add ${did}`),
        expectedOrigin: origins,
        expectedRPID: origins.map(hostOf),
        requireUserVerification: false,
      }).catch(() => undefined)
      if (!verified?.verified) return undefined
      const { credential, origin: page } = verified.registrationInfo
      const { id: credentialId, publicKey: key, counter } = credential
      return { credentialId, key, counter, host: hostOf(page) }
    },

    /** Options of `navigator.credentials.get`. */
    async request(): Promise<LexMap> {
      const { rpId: _, ...options } = await generateAuthenticationOptions({
        rpID: 'localhost',
        challenge: challenge('prove'),
        timeout: challengeMs,
        userVerification: 'preferred',
      })
      return asJson(options)
    },

    /** Checks the answer to `request`. @returns the new signature counter, or undefined if it is invalid */
    async prove(passkey: SecondFactor, response: object): Promise<number | undefined> {
      const { key: publicKey, credentialId, counter, host } = passkey
      if (credentialId === null || host === null) return undefined
      const verified = await verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        expectedChallenge: (encoded) => spend(encoded, 'prove'),
        expectedOrigin: origins,
        expectedRPID: host,
        credential: { id: credentialId, publicKey, counter },
        requireUserVerification: false,
      }).catch(() => undefined)
      return verified?.verified ? verified.authenticationInfo.newCounter : undefined
    },
  }
}

/** The library describes JSON by interfaces, which TypeScript does not take for maps. */
function asJson(options: object): LexMap {
  return options as LexMap
}

function hostOf(origin: string): string {
  return new URL(origin).hostname
}
