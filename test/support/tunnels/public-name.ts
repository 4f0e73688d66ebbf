/** Loaded before an app: the name in PUBLIC_NAME leads to this machine, with a certificate of the tests. */
import { trustTestAuthority } from '../network/certificates.ts'
import { resolveNames } from '../network/names.ts'

const name = process.env.PUBLIC_NAME
if (name !== undefined) {
  trustTestAuthority()
  resolveNames({ [name]: ['127.0.0.1'] })
}
