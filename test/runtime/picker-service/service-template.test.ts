import { schedulerNames } from '../../../lib/translate/cluster/names';
import { serviceTargets } from '../../../runtime/picker-service/service-template';
import { gatewayState, schedulerState } from '../endpoint-picker/support/fixtures';

const template = { host: '{name}-epp.{namespace}.svc', port: 9005 };

test('every scheduler has the pickers of its own Service', () => {
  const state = gatewayState(
    schedulerState({ namespace: 'team', name: 'a' }),
    schedulerState({ namespace: 'team', name: 'b' }),
  );
  expect(serviceTargets(template, state)).toEqual([
    { scheduler: 'team/a', address: { host: 'a-epp.team.svc', port: 9005 } },
    { scheduler: 'team/b', address: { host: 'b-epp.team.svc', port: 9005 } },
  ]);
});

test('a name too long for DNS is that of the Service which the controller makes', () => {
  const name = 'n'.repeat(62);
  const [target] = serviceTargets(template, gatewayState(schedulerState({ namespace: 'team', name })));
  expect(target!.address).toEqual({ host: `${schedulerNames({ name }).picker}.team.svc`, port: 9005 });
});
