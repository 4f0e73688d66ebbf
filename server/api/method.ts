/** `method()` and `subscription()` with this server's auth words and services. */
import type { CredentialsByWord } from '../auth/credentials.ts'
import type { Services } from '../services.ts'
import { methodFactory } from '../xrpc/method.ts'
import { subscriptionFactory } from '../xrpc/subscription.ts'

export const method = methodFactory<CredentialsByWord, Services>()
export const subscription = subscriptionFactory<CredentialsByWord, Services>()
