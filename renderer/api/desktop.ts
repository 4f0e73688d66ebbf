/** State and calls of the desktop as hooks. Used only by screens of the desktop. */
import {
  type QueryClient,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Channel, DesktopCalls, Outcome, ServerState } from '../../electron/ground/bridge.ts'
import { desktop } from '../bridge.ts'
import { createStore } from '../store.ts'

/** An expected failure; its message is written for people. */
export class DesktopError extends Error {}

export type DesktopArgs<C extends Channel> = Parameters<DesktopCalls[C]>
export type DesktopResult<C extends Channel> = ValueOf<ReturnType<DesktopCalls[C]>>
type ValueOf<A> = A extends { readonly ok: false } ? never : A extends { readonly value: infer T } ? T : A

/** The state of the embedded server; undefined in a browser. */
export const serverState = createStore<ServerState | undefined>(desktop?.initialState)

/**
 * Whether to show the screens that need the server. They stay while it restarts or is stopped; only a failed start replaces
 * them.
 */
export const isUsable = createStore(desktop === undefined || desktop.initialState.kind === 'running')

const stopDelayMs = 250
let stopTimer: ReturnType<typeof setTimeout> | undefined

desktop?.on('serverState', (state) => {
  clearTimeout(stopTimer)
  // A restart passes through `stopped`: show it only if it lasts.
  if (state.kind === 'stopped') stopTimer = setTimeout(applyState, stopDelayMs, state)
  else applyState(state)
})

function applyState(state: ServerState): void {
  serverState.set(state)
  if (state.kind === 'running') isUsable.set(true)
  if (state.kind === 'failed') isUsable.set(false)
}

/** Calls the desktop. @throws DesktopError on an expected failure */
export async function callDesktop<C extends Channel>(
  channel: C,
  ...args: DesktopArgs<C>
): Promise<DesktopResult<C>> {
  if (!desktop) throw new Error('desktop call outside the desktop')
  const result: unknown = await desktop.call(channel, ...args)
  if (!isOutcome(result)) return result as DesktopResult<C>
  if (!result.ok) throw new DesktopError(result.message)
  return result.value as DesktopResult<C>
}

function isOutcome(result: unknown): result is Outcome<unknown> {
  return typeof result === 'object' && result !== null && 'ok' in result
}

/** The cached result of a desktop call, by channel and arguments. Works without the server. In a browser it stays undefined. */
export function useDesktopQuery<C extends Channel>(
  channel: C,
  ...args: DesktopArgs<C>
): UseQueryResult<DesktopResult<C>> {
  return useQuery({
    queryKey: keyOf(channel, ...args),
    queryFn: () => callDesktop(channel, ...args),
    enabled: desktop !== undefined,
    networkMode: 'always',
  })
}

/** A desktop call as a mutation. @param invalidates channels whose cached results it invalidates */
export function useDesktopCall<C extends Channel>(
  channel: C,
  invalidates: readonly Channel[] = [],
  effects: Pick<UseMutationOptions<DesktopResult<C>, Error, DesktopArgs<C>>, 'onSuccess' | 'onError'> = {},
): UseMutationResult<DesktopResult<C>, Error, DesktopArgs<C>> {
  const client = useQueryClient()
  return useMutation({
    ...effects,
    mutationFn: (args) => callDesktop(channel, ...args),
    onSettled: async () => {
      await Promise.all(invalidates.map((one) => invalidate(client, one)))
    },
  })
}

export function keyOf(channel: Channel, ...args: readonly unknown[]): unknown[] {
  return ['desktop', channel, ...args]
}

/** Invalidates the cached results of a channel. */
export function invalidate(client: QueryClient, channel: Channel): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(channel) })
}
