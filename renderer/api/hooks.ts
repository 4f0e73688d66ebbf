/** Queries and procedures as hooks. What was read is kept by account, method and parameters. */
import type { XrpcOptions } from '@atproto/lex-client'
import { getMain, type InferMethodParams, type Main, type Procedure, type Query } from '@atproto/lex-schema'
import {
  type QueryClient,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type Body, call, callAs } from './client.ts'
import { useSession } from './sessions.ts'

interface ReadOptions {
  readonly enabled?: boolean
  /** Milliseconds for which an answer is taken as fresh. */
  readonly staleTime?: number
}

/** The key of what a query answered to an account; without parameters, of all that it answered. */
export function keyOf<Q extends Query>(
  did: string,
  method: Main<Q>,
  params?: InferMethodParams<Q>,
): unknown[] {
  return params === undefined ? [did, getMain(method).nsid] : [did, getMain(method).nsid, params]
}

/** Reads in the name of the account shown. */
export function useRead<Q extends Query>(
  method: Main<Q>,
  params: InferMethodParams<Q>,
  options: ReadOptions = {},
): UseQueryResult<Body<Q>> {
  const { did } = useSession()
  return useQuery({
    queryKey: keyOf(did, method, params),
    queryFn: ({ signal }) => callAs(did, method, { params, signal } as unknown as XrpcOptions<Q>),
    ...options,
  })
}

/** Reads what anybody may. */
export function usePublicRead<Q extends Query>(
  method: Main<Q>,
  params: InferMethodParams<Q>,
  options: ReadOptions = {},
): UseQueryResult<Body<Q>> {
  return useQuery({
    queryKey: keyOf('', method, params),
    queryFn: ({ signal }) => call(method, { params, signal } as unknown as XrpcOptions<Q>),
    ...options,
  })
}

type Input<P extends Procedure> = XrpcOptions<P>['body']
type Effects<P extends Procedure> = Pick<
  UseMutationOptions<Body<P>, Error, Input<P>>,
  'onMutate' | 'onSuccess' | 'onError' | 'onSettled'
>

/**
 * Calls a procedure in the name of the account shown.
 * @param stale queries whose answers it makes stale
 */
export function useAct<P extends Procedure>(
  method: Main<P>,
  stale: readonly Main<Query>[] = [],
  effects: Effects<P> = {},
): UseMutationResult<Body<P>, Error, Input<P>> {
  const { did } = useSession()
  const client = useQueryClient()
  return useMutation({
    ...effects,
    mutationFn: (body) => callAs(did, method, { body } as XrpcOptions<P>),
    onSettled: async (...result) => {
      await Promise.all(stale.map((query) => client.invalidateQueries({ queryKey: keyOf(did, query) })))
      await effects.onSettled?.(...result)
    },
  })
}

export type { QueryClient }
