import { useMutation, useQueryClient } from '@tanstack/react-query'
import { app } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { explain } from '../../api/errors.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast } from '../../ui/toast.tsx'

const { getPreferences, putPreferences } = app.example.notification

type Response = Body<typeof getPreferences.main>
export type Preferences = Response['preferences']
export type ReasonName = Exclude<keyof Preferences, '$type'>

export interface Preference {
  readonly list: boolean
  readonly push: boolean
  /** Absent for reasons without a filter by author. */
  readonly include?: 'all' | 'follows'
}

/**
 * Changes a preference optimistically. Requests run one at a time, because each carries all preferences. A failed change is
 * rolled back with a toast.
 */
export function usePreferenceChange(): (reason: ReasonName, changed: Partial<Preference>) => void {
  const { did } = useSession()
  const client = useQueryClient()
  const key = keyOf(did, getPreferences, {})
  const save = useMutation({
    scope: { id: `preferences ${did}` },
    mutationFn: (preferences: Preferences) => callAs(did, putPreferences, { body: { preferences } }),
    onError: async (error) => {
      toast(t.preferences.failed(explain(error)))
      await client.invalidateQueries({ queryKey: key })
    },
  })
  return (reason, changed) => {
    const cached = client.getQueryData<Response>(key)
    if (!cached) return
    const preferences = { ...cached.preferences, [reason]: { ...cached.preferences[reason], ...changed } }
    client.setQueryData<Response>(key, { preferences })
    save.mutate(preferences)
  }
}
