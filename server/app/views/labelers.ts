/** Views of labelers. */
import type { app } from '../../../lexicons/generated/index.ts'
import type { ViewContext } from './context.ts'
import { selfLabels } from './labels.ts'
import { profileView } from './profiles.ts'
import type { ViewRecord } from './records.ts'

type Labeler = ViewRecord<app.example.labeler.service.Main>

/** `app.example.labeler.defs#labelerView` */
export function labelerView(ctx: ViewContext, labeler: Labeler): app.example.labeler.defs.LabelerView {
  return fields(ctx, labeler)
}

/** `app.example.labeler.defs#labelerViewDetailed` */
export function labelerViewDetailed(
  ctx: ViewContext,
  labeler: Labeler,
): app.example.labeler.defs.LabelerViewDetailed {
  const { policies, reasonTypes, subjectTypes, subjectCollections } = labeler.value
  return { ...fields(ctx, labeler), policies, reasonTypes, subjectTypes, subjectCollections }
}

function fields(ctx: ViewContext, labeler: Labeler) {
  const { actor, uri, cid, indexedAt, value } = labeler
  const creator = profileView(ctx, actor)
  return { uri, cid, creator, labels: selfLabels(value, labeler), indexedAt }
}
