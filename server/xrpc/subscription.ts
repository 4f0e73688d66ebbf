/**
 * A subscription is its lexicon, the word that says who may listen, and a handler that sends. `subscriptionFactory` binds auth
 * words and services, as `methodFactory` does.
 */
import type { l } from '@atproto/lex-schema'
import type { Caller, Lexicon } from './method.ts'

export type SubscriptionSchema = l.Subscription

/** What a handler is called with, beside the services, once a client is connected. */
export interface Listening<S extends SubscriptionSchema, Credentials> {
  readonly params: l.InferOutput<S['parameters']>
  readonly auth: Credentials
  readonly caller: Caller
  /** Does nothing once the connection has ended. */
  readonly send: (message: l.InferOutput<S['message']>) => void
}

export interface SubscriptionDefinition<S extends SubscriptionSchema, Word, Credentials, Services> {
  /** Who may listen. The connection ends as soon as that is no longer so. */
  readonly auth: Word
  /** Whether the account must be active. */
  readonly active?: boolean
  /** Connections that an account may have at once. */
  readonly connections: number
  /** Begins to send. @returns what ends that; called when the connection ends */
  readonly handler: (call: Services & Listening<S, Credentials>) => () => void
}

/** A subscription ready for use, its types erased. */
export interface Subscription<Word = string, Services = unknown> {
  readonly nsid: string
  readonly schema: SubscriptionSchema
  readonly auth: Word
  readonly active: boolean
  readonly connections: number
  readonly handler: (call: Services & Listening<SubscriptionSchema, unknown>) => () => void
}

/** @typeParam Words maps each auth word to the credentials that it yields. */
export function subscriptionFactory<Words, Services>() {
  return function subscription<S extends SubscriptionSchema, Word extends keyof Words & string>(
    { main: schema }: Lexicon<S>,
    definition: SubscriptionDefinition<S, Word, Words[Word], Services>,
  ): Subscription<keyof Words & string, Services> {
    return {
      nsid: schema.nsid,
      schema,
      auth: definition.auth,
      active: definition.active ?? false,
      connections: definition.connections,
      handler: definition.handler as Subscription<Word, Services>['handler'],
    }
  }
}
