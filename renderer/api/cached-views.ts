/** Changes views in the cache, so that an action shows at once in every list that has the post or the person. */
import type { QueryClient } from '@tanstack/query-core'
import type { app } from '../../lexicons/generated/index.ts'
import { placeOf } from './at-uri.ts'

type PostView = app.example.feed.defs.PostView

type View = Readonly<Record<string, unknown>>

/** Returns the changed view; undefined for views that stay as they are. */
type Change = (view: View) => View | undefined

/** Changes a post in all cached responses of an account. */
export function changePost(
  client: QueryClient,
  did: string,
  uri: string,
  change: (post: PostView) => PostView,
): void {
  const place = placeOf(uri)
  changeViews(client, did, (view) =>
    'record' in view && 'author' in view && placeOf(String(view.uri)) === place
      ? (change(view as unknown as PostView) as unknown as View)
      : undefined,
  )
}

/** Changes what the account has to do with a person, in all its cached responses. */
export function changePerson(client: QueryClient, did: string, person: string, viewer: View): void {
  changeViews(client, did, (view) =>
    view.did === person && 'handle' in view
      ? { ...view, viewer: { ...(view.viewer as View | undefined), ...viewer } }
      : undefined,
  )
}

function changeViews(client: QueryClient, did: string, change: Change): void {
  const ofAccount = client.getQueryCache().findAll({
    // Further members of a key may name people that the response is about.
    predicate: ({ queryKey }) => queryKey.slice(0, 2).includes(did),
  })
  for (const { queryKey, state } of ofAccount) {
    const changed = changedIn(state.data, change)
    if (changed !== state.data) client.setQueryData(queryKey, changed, { updatedAt: state.dataUpdatedAt })
  }
}

/** Returns the data with changed views, or else the same object. Records are left as they are. */
function changedIn(data: unknown, change: Change): unknown {
  if (Array.isArray(data)) {
    const items = data.map((item) => changedIn(item, change))
    return items.some((item, index) => item !== data[index]) ? items : data
  }
  if (!isView(data)) return data
  const view = change(data) ?? data
  const members = Object.entries(view)
    .filter(([name]) => name !== 'record' && name !== 'value')
    .map(([name, value]) => [name, changedIn(value, change)] as const)
    .filter(([name, value]) => value !== view[name])
  return members.length === 0 ? view : { ...view, ...Object.fromEntries(members) }
}

function isView(data: unknown): data is View {
  return typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype
}
