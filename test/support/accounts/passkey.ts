/** A device that makes and uses passkeys (WebAuthn Level 3), with the browser's part: the client data. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'

const userPresentAndVerified = 0x05
const withCredential = 0x40

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url')
const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

export interface Page {
  readonly origin: string
  /** The host name that the passkey belongs to; by default that of the page. */
  readonly host?: string
}

interface Options {
  readonly challenge: string
}

export class PasskeyDevice {
  readonly id = base64url(randomBytes(32))
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #counts: boolean
  #counter = 0

  /** @param counts whether it counts its signatures; passkeys that are shared between devices do not */
  constructor(counts = true) {
    this.#counts = counts
  }

  /** Answers the options of `startPasskey`. */
  create({ challenge }: Options, page: Page) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    // COSE (RFC 9053): EC2, ES256, P-256.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const id = Buffer.from(this.id, 'base64url')
    const credential = Buffer.concat([Buffer.alloc(16), number(id.length, 2), id, key])
    const authData = Buffer.concat([this.#data(page, userPresentAndVerified | withCredential), credential])
    return this.#answer({
      clientDataJSON: clientData('webauthn.create', challenge, page),
      attestationObject: base64url(encode({ fmt: 'none', attStmt: {}, authData: new Uint8Array(authData) })),
    })
  }

  /** Answers the options of `challengePasskey`. */
  use({ challenge }: Options, page: Page) {
    const clientDataJSON = clientData('webauthn.get', challenge, page)
    const data = this.#data(page, userPresentAndVerified)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = createSign('sha256').update(signed).sign(this.#keys.privateKey)
    return this.#answer({
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(signature),
    })
  }

  /** A copy that was made before the last uses. */
  setBack(): void {
    this.#counter = 0
  }

  #data({ origin, host = new URL(origin).hostname }: Page, flags: number): Buffer {
    if (this.#counts) this.#counter += 1
    return Buffer.concat([sha256(host), Buffer.from([flags]), number(this.#counter, 4)])
  }

  #answer(response: Readonly<Record<string, string>>) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function clientData(type: string, challenge: string, { origin }: Page): string {
  return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}
