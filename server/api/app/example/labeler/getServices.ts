import { app } from '../../../../../lexicons/generated/index.ts'
import { labelerView, labelerViewDetailed } from '../../../../app/views/labelers.ts'
import { actorById, loadActors } from '../../../../app/views/profiles.ts'
import * as actors from '../../../../platform/store/tables/actors.ts'
import { method } from '../../../method.ts'

const { labelerView: basic, labelerViewDetailed: detailed } = app.example.labeler.defs

export const getServices = method(app.example.labeler.getServices, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const ids = new Set(params.dids.flatMap((did) => actors.idOf(ctx.db, did) ?? []))
    loadActors(ctx, ids)
    const labelers = [...ids].flatMap((id) => actorById(ctx, id).labeler ?? [])
    return {
      views: labelers.map((labeler) =>
        params.detailed
          ? detailed.$build(labelerViewDetailed(ctx, labeler))
          : basic.$build(labelerView(ctx, labeler)),
      ),
    }
  },
})
