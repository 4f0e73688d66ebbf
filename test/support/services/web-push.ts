/** Web Push as in a browser: the keys of a subscription, and decryption of its messages (RFC 8291 over RFC 8188). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

export interface Browser {
  readonly keys: { readonly p256dh: string; readonly auth: string }
  decrypt(message: Buffer): string
}

/** The input of `registerPush` for a browser. Nothing is looked up for it. */
export function webDevice(token: string) {
  const subscription = {
    endpoint: `https://push.test/${encodeURIComponent(token)}`,
    keys: createBrowser().keys,
  }
  return {
    serviceDid: 'did:web:pds.test',
    token: JSON.stringify(subscription),
    platform: 'web',
    appId: 'app.test',
  }
}

export function createBrowser(): Browser {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys()
  const auth = randomBytes(16)
  return {
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    decrypt(message) {
      const salt = message.subarray(0, 16)
      const keyEnd = 21 + message.readUInt8(20)
      const senderKey = message.subarray(21, keyEnd)
      const sealed = message.subarray(keyEnd)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey])
      const shared = derive(pair.computeSecret(senderKey), auth, info, 32)
      const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
      const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce)
      decipher.setAuthTag(sealed.subarray(-16))
      const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      // Padding follows the delimiter of the last record.
      return record.subarray(0, record.lastIndexOf(2)).toString()
    },
  }
}

function derive(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}
