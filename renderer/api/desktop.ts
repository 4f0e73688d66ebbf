/** What the desktop around this page tells and does, as hooks. Only what is shown inside a desktop uses it. */
import {
  type QueryClient,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Channel, DesktopCalls, Outcome, ServerState } from '../../electron/bridge.ts'
import { desktop } from '../bridge.ts'
import { createStore } from './store.ts'

/** The desktop's own sentence on why something was not done. */
export class Refused extends Error {}

type Args<C extends Channel> = Parameters<DesktopCalls[C]>
type Answer<C extends Channel> = ValueOf<ReturnType<DesktopCalls[C]>>
type ValueOf<A> = A extends { readonly ok: false } ? never : A extends { readonly value: infer T } ? T : A

/** How the embedded server is doing; undefined in a browser. */
export const serverState = createStore<ServerState | undefined>(desktop?.initialState)

/**
 * Whether the screens that need the server can be shown. They stay while it restarts or is stopped on purpose: only a start
 * that failed takes their place.
 */
export const isUsable = createStore(desktop === undefined || desktop.initialState.kind === 'running')

const passingMs = 250
let passing: ReturnType<typeof setTimeout> | undefined

desktop?.on('serverState', (state) => {
  clearTimeout(passing)
  // A restart passes through it; shown is only a stop that lasts.
  if (state.kind === 'stopped') passing = setTimeout(become, passingMs, state)
  else become(state)
})

function become(state: ServerState): void {
  serverState.set(state)
  if (state.kind === 'running') isUsable.set(true)
  if (state.kind === 'failed') isUsable.set(false)
}

/** @throws Refused when the answer is that it was not done */
export async function ask<C extends Channel>(channel: C, ...args: Args<C>): Promise<Answer<C>> {
  if (!desktop) throw new Error('there is no desktop around this page')
  const answer: unknown = await desktop.call(channel, ...args)
  if (!isOutcome(answer)) return answer as Answer<C>
  if (!answer.ok) throw new Refused(answer.message)
  return answer.value as Answer<C>
}

function isOutcome(answer: unknown): answer is Outcome<unknown> {
  return typeof answer === 'object' && answer !== null && 'ok' in answer
}

/** What the desktop answers, kept by channel and arguments. It answers whether or not the server does. */
export function useAsk<C extends Channel>(channel: C, ...args: Args<C>): UseQueryResult<Answer<C>> {
  return useQuery({
    queryKey: keyOf(channel, ...args),
    queryFn: () => ask(channel, ...args),
    networkMode: 'always',
  })
}

/** Has the desktop do something. @param stale channels whose answers it makes stale */
export function useDo<C extends Channel>(
  channel: C,
  stale: readonly Channel[] = [],
  effects: Pick<UseMutationOptions<Answer<C>, Error, Args<C>>, 'onSuccess' | 'onError'> = {},
): UseMutationResult<Answer<C>, Error, Args<C>> {
  const client = useQueryClient()
  return useMutation({
    ...effects,
    mutationFn: (args) => ask(channel, ...args),
    onSettled: async () => {
      await Promise.all(stale.map((one) => refresh(client, one)))
    },
  })
}

export function keyOf(channel: Channel, ...args: readonly unknown[]): unknown[] {
  return ['desktop', channel, ...args]
}

/** Has what the desktop answered on a channel asked for again. */
export function refresh(client: QueryClient, channel: Channel): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(channel) })
}
