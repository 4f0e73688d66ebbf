/** Loaded before an app: the name in PUBLIC_NAME leads to this machine, with a certificate of the tests. */
import { trustTestAuthority } from '../certificates.ts'
import { resolveNames } from '../names.ts'

const name = process.env.PUBLIC_NAME
if (name !== undefined) {
  trustTestAuthority()
  resolveNames({ [name]: ['127.0.0.1'] })
}
