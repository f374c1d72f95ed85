package operator

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// SetUpWebhook adds the webhook of webhook.yaml to a manager.
func SetUpWebhook(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &Import{}).WithValidator(validator{}).Complete()
}

// validator refuses what the schema of the kind cannot: another number of files, for which the Job has no pods.
type validator struct{}

func (validator) ValidateCreate(context.Context, *Import) (admission.Warnings, error) {
	return nil, nil
}

func (validator) ValidateDelete(context.Context, *Import) (admission.Warnings, error) {
	return nil, nil
}

func (validator) ValidateUpdate(_ context.Context, before, after *Import) (admission.Warnings, error) {
	if before.Spec.Files == after.Spec.Files {
		return nil, nil
	}
	return nil, fmt.Errorf("spec.files is %d and cannot become %d: the Job has a pod for each file; create another Import",
		before.Spec.Files, after.Spec.Files)
}
