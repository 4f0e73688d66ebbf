/** Queries and procedures as hooks. Responses are cached by account, method and parameters. */
import type { XrpcOptions } from '@atproto/lex-client'
import {
  type DidString,
  getMain,
  type InferMethodParams,
  type Main,
  type Procedure,
  type Query,
} from '@atproto/lex-schema'
import {
  keepPreviousData,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type Body, call, callAs } from './client.ts'
import { useSession } from './sessions.ts'

interface XrpcQueryOptions {
  readonly enabled?: boolean
  /** Milliseconds for which a response counts as fresh. */
  readonly staleTime?: number
}

interface PolledQueryOptions<Q extends Query> extends XrpcQueryOptions {
  /** Returns the milliseconds after which it is called again while the page is visible; false: never. */
  readonly pollMs?: (data: Body<Q> | undefined) => number | false
}

/** The cache key of a query; without parameters, the prefix of all its keys. */
export function keyOf<Q extends Query>(
  did: string,
  method: Main<Q>,
  params?: InferMethodParams<Q>,
): unknown[] {
  return params === undefined ? [did, getMain(method).nsid] : [did, getMain(method).nsid, params]
}

/** Calls a query with the session of the current account. */
export function useXrpcQuery<Q extends Query>(
  method: Main<Q>,
  params: InferMethodParams<Q>,
  { pollMs = () => false, ...options }: PolledQueryOptions<Q> = {},
): UseQueryResult<Body<Q>> {
  const { did } = useSession()
  return useQuery({
    queryKey: keyOf(did, method, params),
    queryFn: ({ signal }) => callAs(did, method, { params, signal } as unknown as XrpcOptions<Q>),
    refetchInterval: ({ state }) => pollMs(state.data),
    ...options,
  })
}

/** Of a list with one page. */
const pagesStaleMs = 15_000

/**
 * Calls a paged query with the session of the current account. A list that was scrolled is not read again by itself, when it is opened
 * or the window is shown: that would request all of its pages.
 * @param itemsOf returns the items of a response
 * @returns the query, with the items of all pages that were loaded
 */
export function usePages<Q extends Query, T>(
  method: Main<Q>,
  params: InferMethodParams<Q>,
  itemsOf: (page: Body<Q>) => readonly T[],
  { keepsPrevious = false } = {},
) {
  const { did } = useSession()
  const list = useInfiniteQuery({
    queryKey: keyOf(did, method, params),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      callAs(did, method, { params: { ...params, cursor }, signal } as unknown as XrpcOptions<Q>),
    getNextPageParam: (page) => (page as { readonly cursor?: string }).cursor,
    staleTime: ({ state: { data } }) =>
      data !== undefined && data.pages.length > 1 ? Number.POSITIVE_INFINITY : pagesStaleMs,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  })
  return { ...list, items: list.data?.pages.flatMap(itemsOf) ?? [] }
}

/** Calls a query without a session. */
export function usePublicXrpcQuery<Q extends Query>(
  method: Main<Q>,
  params: InferMethodParams<Q>,
  options: XrpcQueryOptions = {},
): UseQueryResult<Body<Q>> {
  return useQuery({
    queryKey: keyOf('', method, params),
    queryFn: ({ signal }) => call(method, { params, signal } as unknown as XrpcOptions<Q>),
    ...options,
  })
}

type Effects<I, O> = Pick<UseMutationOptions<O, Error, I>, 'onSuccess' | 'onError' | 'scope' | 'mutationKey'>

/**
 * Runs calls with the session of the current account.
 * @param invalidates queries whose cached responses it invalidates; `all`: every one of the account
 */
export function useWork<I, O>(
  run: (did: DidString, input: I) => Promise<O>,
  invalidates: readonly Main<Query>[] | 'all' = [],
  effects: Effects<I, O> = {},
): UseMutationResult<O, Error, I> {
  const { did } = useSession()
  const client = useQueryClient()
  const keys = invalidates === 'all' ? [[did]] : invalidates.map((query) => keyOf(did, query))
  return useMutation({
    ...effects,
    mutationFn: (input) => run(did, input),
    onSettled: () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

export type Input<P extends Procedure> = XrpcOptions<P>['body']

/** Calls a procedure with the session of the current account. The parameters are those of {@link useWork}. */
export function useProcedure<P extends Procedure>(
  method: Main<P>,
  invalidates: readonly Main<Query>[] = [],
  effects: Effects<Input<P>, Body<P>> = {},
): UseMutationResult<Body<P>, Error, Input<P>> {
  return useWork((did, body) => callAs(did, method, { body } as XrpcOptions<P>), invalidates, effects)
}
