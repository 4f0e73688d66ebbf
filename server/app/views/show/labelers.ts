/** Views of labelers. */
import { hash } from 'node:crypto'
import { cidForRawHash } from '@atproto/lex-data'
import { type AtUriString, type DidString, isValidHandle } from '@atproto/syntax'
import type { app } from '../../../../lexicons/generated/index.ts'
import { collections } from '../../../platform/config/nsids.ts'
import { iso } from '../../../util/time.ts'
import type { ViewContext } from '../load/context.ts'
import type { ViewRecord } from '../load/records.ts'
import { selfLabels } from './labels.ts'
import { profileView } from './profiles.ts'

type Labeler = ViewRecord<app.example.labeler.service.Main>

/** `app.example.labeler.defs#labelerView` */
export function labelerView(ctx: ViewContext, labeler: Labeler) {
  const { actor, uri, cid, indexedAt, value } = labeler
  const creator = profileView(ctx, actor)
  return { uri, cid, creator, labels: selfLabels(value, labeler), indexedAt }
}

/** `app.example.labeler.defs#labelerViewDetailed` */
export function labelerViewDetailed(
  ctx: ViewContext,
  labeler: Labeler,
): app.example.labeler.defs.LabelerViewDetailed {
  const { policies, reasonTypes, subjectTypes, subjectCollections } = labeler.value
  return { ...labelerView(ctx, labeler), policies, reasonTypes, subjectTypes, subjectCollections }
}

/**
 * This server as a labeler without labels: clients send reports only to labelers that they are shown.
 * @param host its host name, with the port if it is not the default one
 */
export function ownLabelerView(
  { names }: Pick<ViewContext, 'names'>,
  serverDid: DidString,
  host: string,
): app.example.labeler.defs.LabelerViewDetailed {
  const uri: AtUriString = `at://${serverDid}/${names.stored(collections.labeler)}/self`
  return {
    uri,
    // There is no such record.
    cid: cidForRawHash(hash('sha256', uri, 'buffer')).toString(),
    creator: {
      did: serverDid,
      handle: isValidHandle(host) ? host : 'handle.invalid',
      displayName: host,
      description: `Reports to the owner of ${host}`,
    },
    policies: { labelValues: [] },
    subjectTypes: ['account', 'record'],
    labels: [],
    indexedAt: iso(new Date(0)),
  }
}
