/**
 * The key of the copies. Everything that leaves this computer is encrypted with age (age-encryption.org/v1, X25519), and has a MAC of its
 * name and content, so that a place cannot forge or exchange objects.
 *
 * An object is the age file of: HMAC-SHA256 over `name NUL content` (32 bytes), content.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { loadAge } from '../../util/age.ts'
import { PlaceProblem } from './places/place.ts'

const macBytes = 32
/** Bytes of the age format: header with one recipient, and nonce. */
const headerBytes = 184
/** Bytes of a chunk of the age format; each has an authentication tag. */
const chunkBytes = 64 * 1024
const tagBytes = 16

/** Size of a sealed object, so that a listing shows whether it is whole. */
export function sealedBytes(contentBytes: number): number {
  const bytes = macBytes + contentBytes
  return headerBytes + bytes + tagBytes * Math.ceil(bytes / chunkBytes)
}

/** The form of an identity; its last six characters are a checksum. */
const keyShape = /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/

export class ReplicaKey {
  /** `AGE-SECRET-KEY-1…`: opens everything. */
  readonly identity: string
  readonly #recipient: string
  readonly #macKey: Buffer
  readonly #nameKey: Buffer

  private constructor(identity: string, recipient: string) {
    this.identity = identity
    this.#recipient = recipient
    this.#macKey = derive(identity, 'copy object')
    this.#nameKey = derive(identity, 'copy name')
  }

  static async generate(): Promise<ReplicaKey> {
    const age = await loadAge()
    return ReplicaKey.parse(await age.generateX25519Identity())
  }

  /** Takes the text of a key file, or of the recovery sheet, with spaces, line breaks and in any case. @throws Error */
  static async parse(text: string): Promise<ReplicaKey> {
    const age = await loadAge()
    const lines = text.split('\n').filter((line) => !line.startsWith('#'))
    const identity = lines.join('').replaceAll(/\s/g, '').toUpperCase()
    try {
      return new ReplicaKey(identity, await age.identityToRecipient(identity))
    } catch {
      throw new Error(
        keyShape.test(identity)
          ? 'A character of this key is wrong. Compare it with the recovery sheet.'
          : 'This is no key of a copy. It begins with AGE-SECRET-KEY-1 and has 74 characters.',
      )
    }
  }

  /** Says which key opens a copy, without saying anything about the key. */
  get fingerprint(): string {
    return this.hiddenName('fingerprint')
  }

  /** A name that only this key can derive from another one. */
  hiddenName(name: string): string {
    return createHmac('sha256', this.#nameKey).update(name).digest('hex').slice(0, 40)
  }

  async seal(name: string, content: Uint8Array): Promise<Uint8Array> {
    const { Encrypter } = await loadAge()
    const encrypter = new Encrypter()
    encrypter.addRecipient(this.#recipient)
    return encrypter.encrypt(Buffer.concat([this.#mac(name, content), content]))
  }

  /** @throws PlaceProblem `damaged` */
  async open(name: string, sealed: Uint8Array): Promise<Buffer> {
    const { Decrypter } = await loadAge()
    const decrypter = new Decrypter()
    decrypter.addIdentity(this.identity)
    const opened = Buffer.from(await decrypter.decrypt(sealed).catch(() => new Uint8Array()))
    const content = opened.subarray(macBytes)
    const isOurs =
      opened.length >= macBytes && timingSafeEqual(opened.subarray(0, macBytes), this.#mac(name, content))
    if (isOurs) return content
    throw new PlaceProblem('damaged', `The object ${name} of the copy is damaged, or was replaced.`, {
      object: name,
    })
  }

  #mac(name: string, content: Uint8Array): Buffer {
    return createHmac('sha256', this.#macKey).update(name).update('\0').update(content).digest()
  }
}

function derive(identity: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identity, '', `personal data server: ${purpose}`, 32))
}
