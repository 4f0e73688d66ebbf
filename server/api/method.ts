/** `method()` with this server's auth words and services. */
import type { CredentialsByWord } from '../auth/credentials.ts'
import type { Services } from '../services.ts'
import { methodFactory } from '../xrpc/method.ts'

export const method = methodFactory<CredentialsByWord, Services>()
