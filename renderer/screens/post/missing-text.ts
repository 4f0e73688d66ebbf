import { useActor } from '../../api/actors.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import { t } from '../../strings/en.ts'

/** Why a post is not shown: it was deleted, or it is on another server and did not arrive here. */
export function useMissingText(uri: string | undefined): string {
  const { data: author } = useActor(uri === undefined ? undefined : parseAtUri(uri).repo)
  return author?.isLocal === false ? t.post.elsewhere : t.post.missing
}
