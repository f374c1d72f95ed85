package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "tests.stint.dev", Version: "v1"}

// Sweep runs a command once for each of its shards, a Job each. crd.json defines it.
type Sweep struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SweepSpec   `json:"spec"`
	Status            SweepStatus `json:"status,omitempty"`
}

type SweepSpec struct {
	Shards int32 `json:"shards"`
	// Image has a default.
	Image string `json:"image,omitempty"`
}

type SweepStatus struct {
	Succeeded  int32              `json:"succeeded,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type SweepList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Sweep `json:"items"`
}

func (s *Sweep) DeepCopyObject() runtime.Object {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	out.Status.Conditions = append([]metav1.Condition(nil), s.Status.Conditions...)
	return &out
}

func (l *SweepList) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = make([]Sweep, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Sweep)
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Sweep{}, &SweepList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
