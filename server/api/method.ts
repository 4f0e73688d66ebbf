/** `method()` and `subscription()`, bound to the auth words and services of this server. */
import type { CredentialsByWord } from '../identity/callers/credentials.ts'
import { methodFactory } from '../platform/xrpc/method.ts'
import { subscriptionFactory } from '../platform/xrpc/subscription.ts'
import type { Services } from '../services.ts'

export const method = methodFactory<CredentialsByWord, Services>()
export const subscription = subscriptionFactory<CredentialsByWord, Services>()
