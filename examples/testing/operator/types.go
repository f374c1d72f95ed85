package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// Import reads files, each in its own pod. crd.yaml defines it.
type Import struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ImportSpec   `json:"spec"`
	Status            ImportStatus `json:"status,omitempty"`
}

// ImportSpec says what is imported.
type ImportSpec struct {
	Files int32 `json:"files"`
}

// ImportStatus says how it went.
type ImportStatus struct {
	// Phase is Running, Done or Failed.
	Phase string `json:"phase,omitempty"`
	// FailedFiles are the numbers of the files that could not be read: 1,3-5.
	FailedFiles string `json:"failedFiles,omitempty"`
}

// ImportList is a list of imports.
type ImportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Import `json:"items"`
}

// DeepCopyObject makes a runtime.Object of it.
func (i *Import) DeepCopyObject() runtime.Object {
	out := *i
	out.ObjectMeta = *i.ObjectMeta.DeepCopy()
	return &out
}

// DeepCopyObject makes a runtime.Object of it.
func (l *ImportList) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = make([]Import, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Import)
	}
	return &out
}

// AddToScheme makes the kind known to clients.
func AddToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Import{}, &ImportList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
