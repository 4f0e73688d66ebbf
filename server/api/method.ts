/** `method()` and `subscription()`, bound to the auth words and services of this server. */
import type { CredentialsByWord } from '../auth/credentials.ts'
import type { Services } from '../services.ts'
import { methodFactory } from '../xrpc/method.ts'
import { subscriptionFactory } from '../xrpc/subscription.ts'

export const method = methodFactory<CredentialsByWord, Services>()
export const subscription = subscriptionFactory<CredentialsByWord, Services>()
